"""Training state: tensors by name and facts that JSON can hold, all that is needed to go on."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import torch
from torch import Tensor


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

    def part(self, prefix: str) -> dict[str, Tensor]:
        """The tensors whose names begin so, without that beginning."""
        return {
            name.removeprefix(prefix): one for name, one in self.tensors.items() if name.startswith(prefix)
        }

    def digest(self) -> str:
        """SHA-256 of every bit of it."""
        total = sha256(json.dumps(self.facts, sort_keys=True).encode())
        for name, one in sorted(self.tensors.items()):
            total.update(f"{name} {one.dtype} {tuple(one.shape)}".encode())
            total.update(one.detach().cpu().contiguous().flatten().view(torch.uint8).numpy().tobytes())
        return total.hexdigest()
