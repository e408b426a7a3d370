"""What a training step did; its loss and norm may still be on their way from a GPU."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any

import torch
from torch import Tensor


class LossAndNorm:
    """Loss and gradient norm of a step; whoever looks at those of a GPU waits until it has computed them.

    >>> figures = LossAndNorm(torch.tensor([0.5, 2.0]))
    >>> figures.loss, figures.norm, figures.finite
    (0.5, 2.0, True)
    """

    def __init__(self, computed: Tensor) -> None:
        self._there: torch.cuda.Event | None = None
        self._figures = computed.detach()
        if computed.is_cuda:
            # Copied behind the step, so that the next one can overwrite them and nobody waits meanwhile.
            self._figures = torch.empty(computed.shape, dtype=computed.dtype, pin_memory=True)
            self._figures.copy_(computed.detach(), non_blocking=True)
            self._there = torch.cuda.Event()
            self._there.record()

    @property
    def loss(self) -> float:
        return self._numbers()[0]

    @property
    def norm(self) -> float:
        return self._numbers()[1]

    @property
    def finite(self) -> bool:
        """Whether both are numbers, and not infinite."""
        return all(isfinite(one) for one in self._numbers())

    def _numbers(self) -> list[float]:
        if self._there is not None:
            self._there.synchronize()
        return self._figures.tolist()


@dataclass(frozen=True)
class Step:
    """What a step did."""

    step: int
    "How many steps lie behind, this one counted."
    figures: LossAndNorm
    "Its loss and norm, of which a GPU may still be computing."
    learning_rate: float
    "Its learning rate; that of Muon is in proportion."
    seconds: float
    "How long it took, validation not counted."
    validation: Sequence[Any] | None = None
    "What the validation said after it, where one was due."

    @property
    def loss(self) -> float:
        """The loss before it, averaged over its batches."""
        return self.figures.loss

    @property
    def norm(self) -> float:
        """The norm of the gradient, before it was clipped."""
        return self.figures.norm
