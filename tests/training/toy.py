"""A small model and its batches, for the tests and for the processes that they start."""

import torch
from torch import Tensor, nn

from regard.training import ALONE, Plan, ProcessGroup, Training, cross_entropy

SYMBOLS, WIDTH, LENGTH = 11, 6, 5


class Toy(nn.Module):
    """Guesses a symbol from the one before: an embedding, a block with dropout, a running mean, a head."""

    def __init__(self, dropout: float = 0.1) -> None:
        super().__init__()
        self.token = nn.Embedding(SYMBOLS, WIDTH)
        self.up = nn.Linear(WIDTH, 3 * WIDTH)
        self.drop = nn.Dropout(dropout)
        self.down = nn.Linear(3 * WIDTH, WIDTH)
        self.norm = nn.LayerNorm(WIDTH)
        self.head = nn.Linear(WIDTH, SYMBOLS, bias=False)
        self.register_buffer("seen", torch.zeros(WIDTH))

    def forward(self, x: Tensor) -> Tensor:
        y = self.token(x)
        if self.training:
            self.seen.lerp_(y.detach().mean((0, 1)), 0.1)
        y = y + self.down(self.drop(torch.relu(self.up(y))))
        return self.head(self.norm(y))


def example(number: int) -> Tensor:
    """A walk through the symbols, always by the same stride: what comes next can be learned."""
    start = int(torch.randint(SYMBOLS, (), generator=torch.Generator().manual_seed(number)))
    return (start + 3 * torch.arange(LENGTH + 1)) % SYMBOLS


def batches(size: int):
    """Batch number i holds examples i·size … i·size + size − 1: two batches of 8 are one of 16."""

    def batch(index: int) -> tuple[Tensor, Tensor]:
        rows = torch.stack([example(index * size + i) for i in range(size)])
        return rows[:, :-1], rows[:, 1:]

    return batch


def training(
    *, size: int = 4, dropout: float = 0.1, group: ProcessGroup = ALONE, seconds=float("inf"), **plan
) -> Training:
    """A training of a toy that always starts alike."""
    torch.manual_seed(plan.get("seed", 0))
    rates = {"learning_rate": 0.01, "matrix_learning_rate": 0.02}
    chosen = Plan(**{"steps": 20, "optimiser": "muon", "precision": "float32", **rates, **plan})
    return Training(Toy(dropout), batches(size), cross_entropy, chosen, seconds=seconds, group=group)
