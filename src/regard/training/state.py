"""Training state: tensors by name and facts that JSON can hold, all that is needed to go on."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from hashlib import sha256
from typing import Any

import torch
from torch import Tensor

from regard.errors import RegardError
from regard.training.plan import Plan
from regard.training.sharded.files import ShardedTensors
from regard.training.sharded.layout import is_sharded, put, whole

PLACES = ("sharded",)
"What of a plan says where it is carried out: another training may have it otherwise."


@dataclass(frozen=True)
class TrainingState:
    """A training between two steps.

    >>> one, two, other = (TrainingState({"w": torch.zeros(2)}, {"step": step}) for step in (3, 3, 4))
    >>> one.digest() == two.digest(), one.digest() == other.digest()
    (True, False)
    """

    tensors: Mapping[str, Tensor]
    "Under 'model.' and 'best.' parameters, 'optimiser.' the optimiser's memory, 'rng.' random numbers."
    facts: Mapping[str, Any]
    "The step, the course, the best figure, the plan, and what it ran on."

    @property
    def step(self) -> int:
        """How many steps lie behind."""
        return self.facts["step"]

    @property
    def sharded(self) -> bool:
        """Whether each process holds a part of it only."""
        stored = isinstance(self.tensors, ShardedTensors)
        return not stored and any(is_sharded(one) for one in self.tensors.values())

    def part(self, prefix: str) -> dict[str, Tensor]:
        """The tensors whose names begin so, without that beginning."""
        names = [name for name in self.tensors if name.startswith(prefix)]
        read = self.tensors.read(names) if isinstance(self.tensors, ShardedTensors) else self.tensors
        return {name.removeprefix(prefix): read[name] for name in names}

    def outline(self, prefix: str) -> dict[str, Tensor]:
        """Shapes and types of the tensors whose names begin so, without that beginning and their numbers."""
        known = self.tensors.outline if isinstance(self.tensors, ShardedTensors) else self.tensors
        return {
            name.removeprefix(prefix): torch.empty(one.shape, dtype=one.dtype, device="meta")
            for name, one in known.items()
            if name.startswith(prefix)
        }

    def fill(self, targets: Mapping[str, Tensor]) -> None:
        """Copy into each target the tensor of its name; into a sharded target, its part."""
        if isinstance(self.tensors, ShardedTensors):
            self.tensors.fill(targets)
            return
        for name, target in targets.items():
            put(self.tensors[name], target)

    def require_same(self, plan: Plan, model: Mapping[str, Tensor]) -> None:
        """Refuse another plan than the one it was made with, or a model with other tensors."""
        then, now = self.facts["plan"], plain(plan)
        changed = [
            f"{name} was {then.get(name)}, is {now[name]}"
            for name in now
            if name not in PLACES and then.get(name) != now[name]
        ]
        if changed:
            raise RegardError(
                "this checkpoint belongs to another plan",
                "; ".join(changed),
                "go on with the settings it was made with, or start anew",
            )
        there = {name: tuple(one.shape) for name, one in self.outline("model.").items()}
        here = {name: tuple(one.shape) for name, one in model.items()}
        odd = [name for name in {**here, **there} if there.get(name) != here.get(name)]
        if odd:
            raise RegardError(
                "this checkpoint belongs to another model",
                f"'{odd[0]}' is {there.get(odd[0], 'absent')} there and {here.get(odd[0], 'absent')} here",
                "build the model with the settings it was made with",
            )

    def digest(self) -> str:
        """SHA-256 of every bit of it."""
        total = sha256(json.dumps(self.facts, sort_keys=True).encode())
        for name, one in sorted(self.tensors.items()):
            total.update(f"{name} {one.dtype} {tuple(one.shape)}".encode())
            total.update(whole(one.detach()).cpu().contiguous().flatten().view(torch.uint8).numpy().tobytes())
        return total.hexdigest()


def plain(plan: Plan) -> dict[str, Any]:
    """A plan as JSON gives it back."""
    return json.loads(json.dumps(asdict(plan)))
