"""Early stopping: a training ends when its validation finds no new low, and has its best weights back."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf
from typing import Any

import torch
from torch import Tensor, nn

from regard.errors import RegardError

Validation = Callable[[nn.Module], Sequence[Any]]
"What a model is worth on data it is not trained on: first the figure that should be low, then anything."


@dataclass(frozen=True, kw_only=True)
class EarlyStopping:
    """When a training ends before its steps are made."""

    patience: int
    "Validations without a new lowest figure after which it ends."
    every: int = 1
    "Steps from one validation to the next."

    def __post_init__(self) -> None:
        if self.patience < 1 or self.every < 1:
            raise RegardError(
                "this early stopping cannot be",
                f"patience={self.patience}, every={self.every}",
                "both are 1 or more",
            )


@dataclass
class Best:
    """The lowest validation figure so far, and the weights that had it.

    >>> best, weight = Best(), torch.zeros(1)
    >>> for step, figure in enumerate((5.0, 3.0, 4.0, 3.0), start=1):
    ...     best.see(step, figure, {"w": weight.fill_(step)})
    >>> best.step, best.figure, best.tensors["w"], best.validated
    (2, 3.0, tensor([2.]), 4)
    """

    step: int = 0
    "The step after which it was found; 0 before any."
    figure: float | None = None
    "That figure."
    validated: int = 0
    "The step after which was validated last."
    tensors: dict[str, Tensor] = field(default_factory=dict)
    "The weights."

    @torch.no_grad()
    def see(self, step: int, figure: float, tensors: Mapping[str, Tensor]) -> None:
        """Note a figure; keep a copy of the weights if there was none as low."""
        if figure < (inf if self.figure is None else self.figure):
            self.step, self.figure = step, figure
            self.tensors = {name: one.clone() for name, one in tensors.items()}
        self.validated = step

    def due(self, step: int, stopping: EarlyStopping) -> bool:
        """Whether a validation is to be made after this step, and was not yet."""
        return step % stopping.every == 0 and self.validated != step

    def ends(self, stopping: EarlyStopping) -> bool:
        """Whether the patience is over."""
        return self.validated - self.step >= stopping.patience * stopping.every

    def facts(self) -> dict[str, Any]:
        """All but the weights, as JSON can hold it."""
        return {"step": self.step, "figure": self.figure, "validated": self.validated}
