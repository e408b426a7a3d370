"""What each of three processes does: a training that is taken up, parameters that are not always used, a compiler."""

import importlib.util
import json
import sys
from pathlib import Path

import torch
from torch import nn

from regard.training import ALONE, Plan, ProcessGroup, Training, cross_entropy, distributed

found = importlib.util.spec_from_file_location("toy", Path(__file__).with_name("toy.py"))
toy = importlib.util.module_from_spec(found)
found.loader.exec_module(toy)

STEPS, STOP = 12, 5


class Wide(nn.Module):
    """Enough numbers for several buckets; one parameter is never used, one by every third batch alone."""

    def __init__(self, width: int = 700) -> None:
        super().__init__()
        self.token = nn.Embedding(toy.SYMBOLS, width)
        self.inner = nn.Linear(width, width)
        self.head = nn.Linear(width, toy.SYMBOLS)
        self.never, self.seldom = nn.Parameter(torch.ones(3, 3)), nn.Parameter(torch.ones(1, width))

    def forward(self, x: torch.Tensor, some: bool) -> torch.Tensor:
        y = torch.tanh(self.inner(self.token(x)))
        return self.head(y * self.seldom if some else y)


def wide(group: ProcessGroup = ALONE, accumulate: int = 1) -> Training:
    """A training of it in which batch i uses the seldom used parameter where 3 divides i."""
    torch.manual_seed(0)
    examples = toy.batches(4)
    plan = Plan(steps=STEPS, learning_rate=0.01, weight_decay=0.1, accumulate=accumulate)

    def objective(model: nn.Module, batch: tuple) -> torch.Tensor:
        (x, y), number = batch
        return nn.functional.cross_entropy(model(x, number % 3 == 0).flatten(0, 1), y.flatten())

    return Training(Wide(), lambda i: (examples(i), i), objective, plan, group=group)


def main(file: str) -> None:
    with distributed() as group:
        whole, first, second = wide(group), wide(group), wide(group)
        losses = [step.loss for step in whole]
        for step in first:
            if step.step == STOP:
                break
        second.restore(first.state())
        assert [step.loss for step in second] == losses[STOP:]
        plain, compiled = (toy.training(dropout=0.0, group=group) for _ in range(2))
        compiled_objective = torch.compile(cross_entropy, backend="aot_eager")
        compiled = Training(compiled.model, compiled.batches, compiled_objective, compiled.plan, group=group)
        found = {
            "losses": losses,
            "digests": [one.state().digest() for one in (whole, second)],
            "never": whole.model.never.tolist(),
            "seldom": group.gather(json.dumps(whole.model.seldom.tolist())),
            "plain": [step.loss for step in plain],
            "compiled": [step.loss for step in compiled],
            "buffers": group.gather(json.dumps(plain.model.seen.tolist())),
        }
        if group.is_main:
            Path(file).write_text(json.dumps(found))


if __name__ == "__main__":
    torch.set_num_threads(1)
    main(sys.argv[1])
