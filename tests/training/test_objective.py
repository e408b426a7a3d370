"""Losses against loops in float64; evaluation weighs by targets and leaves the model as it was."""

from math import exp, log

import pytest
import torch
from torch import nn

from regard.errors import RegardError
from regard.training import objective
from regard.training.objective import cross_entropy, evaluate, mean_squared_error


def test_cross_entropy_is_the_loop() -> None:
    scores = torch.randn(2, 3, 7, generator=torch.Generator().manual_seed(1))
    targets = torch.tensor([[0, 6, 3], [-100, 2, 2]])
    total = count = 0.0
    for row, wanted in zip(scores.double().view(6, 7).tolist(), targets.flatten().tolist(), strict=True):
        if wanted >= 0:
            total += log(sum(exp(one) for one in row)) - row[wanted]
            count += 1
    assert cross_entropy(nn.Identity(), (scores, targets)).item() == pytest.approx(total / count, rel=1e-6)


def test_mean_square_is_the_loop() -> None:
    first, second = torch.randn(2, 5, 3, generator=torch.Generator().manual_seed(1)).unbind()
    pairs = zip(first.flatten().tolist(), second.flatten().tolist(), strict=True)
    expected = sum((a - b) ** 2 for a, b in pairs) / 15
    assert mean_squared_error(nn.Identity(), (first, second)).item() == pytest.approx(expected, rel=1e-6)


def test_a_shorter_last_batch_counts_less() -> None:
    model = nn.Sequential(nn.Linear(3, 5), nn.Dropout(0.5))
    x, y = torch.randn(7, 3), torch.arange(7) % 5
    model.train()
    whole = evaluate(model, [(x, y)])
    parts = evaluate(model, [(x[:5], y[:5]), (x[5:], y[5:])])
    assert parts == pytest.approx(whole, rel=1e-6)
    assert whole == pytest.approx(cross_entropy(model[0], (x, y)).item(), rel=1e-6), "dropout was on"
    assert model.training
    assert all(one.grad is None for one in model.parameters())


def test_the_mode_is_put_back_after_an_error() -> None:
    model = nn.Linear(3, 5).train()
    with pytest.raises(RuntimeError):
        evaluate(model, [(torch.randn(2, 4), torch.zeros(2, dtype=torch.int64))])
    assert model.training


def test_nothing_to_evaluate_on_is_told() -> None:
    with pytest.raises(RegardError) as caught:
        evaluate(nn.Identity(), [])
    assert str(caught.value) == (
        "nothing to evaluate on\n  got: no batch, or batches without targets\n  fix: pass a larger text"
    )


class OnGPU(torch.Tensor):
    """A tensor that says it lies on a GPU."""

    is_cuda = True


class Headed(nn.Module):
    """A model that has a head of so many tokens to offer."""

    def __init__(self, tokens: int) -> None:
        super().__init__()
        self.tokens = tokens

    @property
    def output(self) -> torch.Tensor:
        return torch.zeros(self.tokens, 2).as_subclass(OnGPU).requires_grad_()

    def before_head(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return x, self.output


def test_head_and_loss_are_one_where_the_vocabulary_is_large_and_all_else_is_there(monkeypatch) -> None:
    monkeypatch.setattr(objective, "LARGE", 8)
    monkeypatch.setattr(objective, "find_spec", lambda name: name)
    monkeypatch.setattr(torch, "is_autocast_enabled", lambda kind: kind == "cuda")
    assert objective._fuses(Headed(8))
    assert not objective._fuses(Headed(7))
    assert not objective._fuses(nn.Linear(2, 9))
    with torch.no_grad():
        assert not objective._fuses(Headed(8))
    monkeypatch.setattr(torch, "is_autocast_enabled", lambda kind: False)
    assert not objective._fuses(Headed(8))
    monkeypatch.setattr(torch, "is_autocast_enabled", lambda kind: kind == "cuda")
    monkeypatch.setattr(objective, "find_spec", lambda name: None)
    assert not objective._fuses(Headed(8))
