"""What each of two processes does: the same trainings sharded and replicated, saved, read again and ended."""

import importlib.util
import json
import pickle
import sys
from collections.abc import Callable
from pathlib import Path

import torch
from torch import nn

from regard.training import (
    ALONE,
    Checkpoints,
    Plan,
    Training,
    checkpointed,
    cross_entropy,
    distributed,
    resume,
)
from regard.training.sharded import layout
from regard.training.sharded.model import is_model_sharded

found = importlib.util.spec_from_file_location("toy", Path(__file__).parents[1] / "toy.py")
toy = importlib.util.module_from_spec(found)
found.loader.exec_module(toy)

PLANS = {
    "adamw": {"optimiser": "adamw", "weight_decay": 0.01},
    "muon": {"optimiser": "muon"},
    "accumulated": {"accumulate": 2, "clip": 0.1},
}
STEPS, STOP = 12, 5


class Deep(nn.Module):
    """Blocks of their own, a matrix with an odd number of rows, one with fewer rows than processes."""

    def __init__(self) -> None:
        super().__init__()
        self.token = nn.Embedding(toy.SYMBOLS, 6)
        self.blocks = nn.ModuleList(
            nn.Sequential(nn.Linear(6, 7), nn.Tanh(), nn.Linear(7, 1), nn.Linear(1, 6), nn.Tanh())
            for _ in range(2)
        )
        self.head, self.gain = nn.Linear(6, toy.SYMBOLS), nn.Parameter(torch.ones(1))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.token(x)
        for block in self.blocks:
            y = y + block(y)
        return self.head(y) * self.gain


def training(group, size: int, **plan) -> Training:
    """A training of such a model; each process starts with other numbers, of which the first's count."""
    torch.manual_seed(group.rank)
    whole = Plan(**{"steps": STEPS, "learning_rate": 0.01, **plan})
    return Training(Deep(), toy.batches(size), cross_entropy, whole, group=group)


def alone(name: str, size: int = 16) -> Training:
    """The same training in one process with a batch of that size."""
    plan = PLANS[name]
    return training(ALONE, size // plan.get("accumulate", 1), **plan)


def refused(*_: object, **__: object) -> None:
    raise AssertionError("something was unpickled")


def forbid_pickle(patch: Callable[[object, str, object], None] = setattr) -> None:
    """From now on nothing can be unpickled in this process."""
    for module, name in ((pickle, "load"), (pickle, "loads"), (pickle, "Unpickler"), (torch, "load")):
        patch(module, name, refused)


def parameters(model: nn.Module) -> dict[str, list[float]]:
    return {name: layout.whole(one.detach()).flatten().tolist() for name, one in model.named_parameters()}


def main(place: Path) -> None:
    results = {}
    with distributed() as group:
        for name, plan in PLANS.items():
            size = 16 // group.world // plan.get("accumulate", 1)
            replicated = training(group, size, sharded=False, **plan)
            folder = Checkpoints(place / name)
            first = training(group, size, sharded=True, **plan)
            assert is_model_sharded(first.model) and not is_model_sharded(replicated.model)
            trace = []
            for step in checkpointed(first, folder, every=0.0):
                trace.append(step.loss)
                if step.step == STOP + 1:
                    break
            second = training(group, size, sharded=True, **plan)
            results[name] = {
                "replicated": [step.loss for step in replicated],
                "told": resume(second, folder),
                "stopped": trace,
                "sharded": trace[:STOP] + [step.loss for step in second],
                "parameters": parameters(second.model),
                "gathered": parameters(second.whole_model()),
                "rows": [len(layout.local(one)) for one in second.model.parameters()],
            }
            other = training(group, size, sharded=False, **plan)
            results[name]["plain"] = resume(other, folder)
            results[name]["went on"] = [step.loss for step in other]
        saved = Checkpoints(place / "whole")
        if group.is_main:
            saved.save(replicated.state())
        again = training(group, size, sharded=True, **PLANS["accumulated"])
        group.tell("written")
        results["from whole"] = resume(again, saved), parameters(again.model) == parameters(replicated.model)
        results["gathered words"] = group.gather("ü" * (3 * group.rank))
        results["mean"] = group.mean(float(group.rank))
        forbid_pickle()
        unpickled = training(group, size, sharded=True, **PLANS["accumulated"])
        results["without pickle"] = resume(unpickled, Checkpoints(place / "accumulated"))
        if group.is_main:
            (place / "result.json").write_text(json.dumps(results))


if __name__ == "__main__":
    torch.set_num_threads(1)
    main(Path(sys.argv[1]))
