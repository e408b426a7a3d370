"""A person's own attention mask as a support: booleans, or floats that are added to the scores."""

from dataclasses import dataclass

import torch
from torch import Tensor

from regard.arguments import told
from regard.core.support import Support
from regard.errors import RegardError
from regard.shapes import Bool, Float


@dataclass(frozen=True, eq=False)
class Mask(Support):
    """A person's own attention mask: booleans, or floats that are added to the scores (an additive mask).

    A boolean is True where the query may look. Of floats, 0 changes nothing, -inf hides the pair, and any
    other number is a bias. `Attended.reason` says which of the two was seen. Whole numbers are refused: 1
    means "look" to some and "hidden" to others; so are floats that are ones and zeros alone, on a CPU, where
    they can be looked at without waiting.

    >>> Mask(torch.eye(2, dtype=torch.bool)).mask(2, 2)
    tensor([[ True, False],
            [False,  True]])
    >>> Mask(torch.tensor([[0.0, float("-inf")], [0.5, 0.0]])).mask(2, 2)
    tensor([[ True, False],
            [ True,  True]])
    """

    allowed: Tensor
    "Booleans or floats, (n m), or anything else with n and m last that broadcasts to (b h n m)."

    def __post_init__(self) -> None:
        check_mask(self.allowed)

    @property
    def adds(self) -> bool:  # pyright: ignore[reportIncompatibleVariableOverride]
        """Whether the mask is of floats, which are added to the scores."""
        return self.allowed.is_floating_point()

    @property
    def note(self) -> str:  # pyright: ignore[reportIncompatibleVariableOverride]
        """Which of the two kinds of mask it is."""
        return "; an additive mask: 0 looks, -inf hides" if self.adds else "; a boolean mask: True looks"

    def fit(self, q: Tensor, k: Tensor) -> None:
        scores = (*q.shape[:3], k.shape[2])
        own = (1,) * (4 - self.allowed.dim()) + tuple(self.allowed.shape)
        if (
            len(own) > 4
            or own[2:] != scores[2:]
            or any(a not in (1, s) for a, s in zip(own, scores, strict=True))
        ):
            raise RegardError(
                "the mask does not fit the scores",
                f"mask {tuple(self.allowed.shape)}, scores {scores} (b h n m)",
                "give it the shape (n m), (h n m) or (b h n m); (b 1 n m) serves all heads",
            )

    def mask(self, n: int, m: int, device: torch.device | str = "cpu") -> Bool[Tensor, "*axes n m"]:
        allowed = self.allowed.to(device)
        return allowed != -torch.inf if self.adds else allowed

    def bias(
        self, n: int, m: int, device: torch.device | str = "cpu", kind: torch.dtype = torch.float32
    ) -> Float[Tensor, "*axes n m"] | None:
        return self.allowed.to(device, kind) if self.adds else None


def check_mask(mask: object) -> None:
    """Raise where a person's mask is neither of booleans nor of floats."""
    if not isinstance(mask, Tensor):
        raise RegardError(
            "Mask needs a tensor, of booleans or of floats",
            told(mask),
            "pass Mask(torch.as_tensor(mask)), True where the query may look",
        )
    if mask.dtype is not torch.bool and not mask.is_floating_point():
        raise RegardError(
            "Mask needs booleans (True looks) or floats (0 looks, -inf hides); whole numbers may mean either",
            f"{mask.dtype}",
            MEANINGS,
        )
    if mask.is_floating_point() and mask.is_cpu and not torch.compiler.is_compiling():
        check_additive(mask)


MEANINGS = "pass Mask(mask == 1) if 1 marks what may be seen, Mask(mask == 0) if it marks what is hidden"


def check_additive(mask: Tensor) -> None:
    """Raise where floats are ones and zeros, of which none would hide anything."""
    ones = mask == 1
    if ones.any() and (ones | (mask == 0)).all() and not ones.all():
        raise RegardError(
            "a mask of ones and zeros as floats would be added to the scores and hide nothing",
            f"{mask.dtype}, {tuple(mask.shape)}",
            MEANINGS,
        )
