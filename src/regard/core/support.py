"""Supports (attention masks): which keys a query may look at. `python -m regard.core.support` draws them.

A support answers with a mask that broadcasts to (b h n m), or with None where every query sees every key. Two
combine with `&` and `|`. Edge lists are in `regard.core.edges`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from regard.arguments import check, check_fields, check_sizes, told
from regard.errors import RegardError
from regard.shapes import Bool, Float, Int

Offset = int | Tensor | None
"""Where the queries start among the keys: None makes them the last ones, a tensor says it row by row."""


class Support:
    """The protocol: fit the sizes, give a mask, perhaps add to the scores, combine."""

    adds: bool = False
    "True where something is added to the scores of the pairs, as an additive mask does."
    note: str = ""
    "What `Attended.reason` says of the support."

    def fit(self, q: Tensor, k: Tensor) -> None:
        """Raise where the support's own sizes do not fit the tensors."""

    def mask(self, n: int, m: int, device: torch.device | str = "cpu") -> Bool[Tensor, "*axes n m"] | None:
        """True where query i may look at key j; None where it may everywhere."""
        raise NotImplementedError

    def bias(
        self, n: int, m: int, device: torch.device | str = "cpu", kind: torch.dtype = torch.float32
    ) -> Float[Tensor, "*axes n m"] | None:
        """What is added to the scores, -inf where the mask hides the pair; None where nothing is."""
        return None

    def __and__(self, other: "Support") -> "Both":
        return Both(self, other)

    def __or__(self, other: "Support") -> "Either":
        return Either(self, other)

    __rand__, __ror__ = __and__, __or__


@dataclass(frozen=True)
class Full(Support):
    """Every query sees every key."""

    def mask(self, n: int, m: int, device: torch.device | str = "cpu") -> None:
        """None: nothing is hidden."""


@dataclass(frozen=True, eq=False)
class Causal(Support):
    """Query i sees keys 0..i: the past and itself.

    With fewer queries than keys the queries are the last ones, as in cached generation; `offset` says
    otherwise, for all rows or row by row.

    >>> from regard import attend
    >>> zero, values = torch.zeros(1, 1, 3, 1), torch.tensor([1.0, 3.0, 5.0]).view(1, 1, 3, 1)
    >>> attend(zero, zero, values, support=Causal()).output.flatten()   # equal scores: a running mean
    tensor([1., 2., 3.])
    """

    offset: Offset = None
    "The key at which query 0 stands."

    def __post_init__(self) -> None:
        if self.offset is not None:
            check_fields(self)

    def fit(self, q: Tensor, k: Tensor) -> None:
        if self.offset is not None:
            check_offset(self.offset, q)

    def mask(self, n: int, m: int, device: torch.device | str = "cpu") -> Bool[Tensor, "*axes n m"]:
        return positions(n, m, self.offset, device) >= torch.arange(m, device=device)


@dataclass(frozen=True, eq=False)
class Window(Support):
    """Query i sees the keys at a distance of at most `size`, on both sides or, if causal, behind it.

    >>> Window(1).mask(3, 3).int()
    tensor([[1, 1, 0],
            [1, 1, 1],
            [0, 1, 1]], dtype=torch.int32)
    """

    size: int
    "The largest distance; 0 is the query's own place alone."
    causal: bool = False
    "Whether what comes later is hidden."
    offset: Offset = None
    "The key at which query 0 stands."

    def __post_init__(self) -> None:
        if not (type(self.size) is int and type(self.causal) is bool and self.offset is None):
            check_fields(self)
        if self.size < 0:
            raise RegardError(
                "a window cannot have a negative size", f"size={self.size}", "Window(0) sees itself alone"
            )

    def fit(self, q: Tensor, k: Tensor) -> None:
        check_offset(self.offset, q)

    def mask(self, n: int, m: int, device: torch.device | str = "cpu") -> Bool[Tensor, "*axes n m"]:
        behind = positions(n, m, self.offset, device) - torch.arange(m, device=device)
        return (behind <= self.size) & (behind >= (0 if self.causal else -self.size))


@dataclass(frozen=True)
class Grid(Support):
    """The cell at p sees the cells at p + offset that lie on the grid; offsets may differ by head.

    Cells are numbered as `reshape` numbers them. One offset per head, Constant and Raw make a convolution.

    >>> Grid((2, 2), [(0, 0), (0, 1)]).mask(4, 4).int()
    tensor([[1, 1, 0, 0],
            [0, 1, 0, 0],
            [0, 0, 1, 1],
            [0, 0, 0, 1]], dtype=torch.int32)
    """

    shape: tuple[int, ...]
    "Cells along each axis."
    offsets: Sequence[Any] | Tensor
    "Steps to the cells seen: a list of steps, or a list of such lists, one per head; all of one length."

    def __post_init__(self) -> None:
        check("Grid", "shape", self.shape, tuple[int, ...])
        check_sizes("Grid", **{f"shape[{axis}]": size for axis, size in enumerate(self.shape)})
        try:
            steps = self.steps
        except (TypeError, ValueError, RuntimeError):
            steps = torch.zeros(())
        if steps.dim() not in (2, 3) or steps.shape[-1] != len(self.shape):
            raise RegardError(
                "Grid needs offsets with one step for each axis of the grid",
                f"offsets of shape {tuple(steps.shape)} on a grid of {len(self.shape)} axes"
                if steps.dim()
                else f"offsets={told(self.offsets)}",
                "pass [(0, 1), (1, 0)] on two axes, or one such list per head",
            )

    @property
    def steps(self) -> Int[Tensor, "*axes"]:
        """The offsets as numbers."""
        return torch.as_tensor(self.offsets, dtype=torch.long)

    def fit(self, q: Tensor, k: Tensor) -> None:
        cells, heads = torch.Size(self.shape).numel(), self.steps.shape[0] if self.steps.dim() == 3 else 1
        if q.shape[2] != cells or k.shape[2] != cells:
            raise RegardError(
                f"Grid{self.shape} has {cells} cells",
                f"{q.shape[2]} queries and {k.shape[2]} keys",
                "give one query and one key for each cell",
            )
        if heads not in (1, q.shape[1]):
            raise RegardError(
                "Grid needs one list of offsets per head",
                f"{heads} lists, {q.shape[1]} heads",
                "give as many",
            )

    def mask(self, n: int, m: int, device: torch.device | str = "cpu") -> Bool[Tensor, "*axes n m"]:
        sizes = torch.tensor(self.shape, device=device)
        cells = torch.cartesian_prod(*[torch.arange(size, device=device) for size in self.shape]).view(n, -1)
        seen = cells + self.steps.to(device).unsqueeze(-2)
        inside = ((seen >= 0) & (seen < sizes)).all(-1)
        strides = sizes.flip(0).cumprod(0).flip(0) // sizes
        hits = torch.zeros(*inside.shape[:-2], n, m, dtype=torch.int8, device=device)
        keys = (seen * strides).sum(-1).where(inside, 0)
        index = keys.movedim(-2, -1)
        return hits.scatter_add(-1, index, inside.movedim(-2, -1).to(torch.int8)) > 0


@dataclass(frozen=True, eq=False)
class Packed(Support):
    """Packed documents: a query sees the keys that carry the same document number.

    With fewer queries than keys the queries are the last ones.

    >>> Packed(torch.tensor([0, 0, 1])).mask(3, 3).int()
    tensor([[1, 1, 0],
            [1, 1, 0],
            [0, 0, 1]], dtype=torch.int32)
    """

    ids: Int[Tensor, "*b m"]
    "The document of each key, (m) or row by row (b m)."

    def __post_init__(self) -> None:
        if not isinstance(self.ids, Tensor) or self.ids.is_floating_point():
            raise RegardError(
                "Packed needs the number of the document of each key",
                f"ids={told(self.ids)}",
                "pass a tensor of whole numbers, (m) or row by row (b m)",
            )

    def fit(self, q: Tensor, k: Tensor) -> None:
        shape, n, m = tuple(self.ids.shape), q.shape[2], k.shape[2]
        if shape not in ((m,), (1, m), (q.shape[0], m)) or n > m:
            raise RegardError(
                "Packed needs one number per key, and no more queries than keys",
                f"ids {shape} for {q.shape[0]} rows of {n} queries and {m} keys",
                f"shape them ({m},) or ({q.shape[0]}, {m})",
            )

    def mask(self, n: int, m: int, device: torch.device | str = "cpu") -> Bool[Tensor, "*axes n m"]:
        ids = self.ids.to(device)
        same = ids[..., m - n :].unsqueeze(-1) == ids.unsqueeze(-2)
        return same.unsqueeze(1) if ids.dim() == 2 else same


@dataclass(frozen=True, eq=False)
class Both(Support):
    """What two supports both allow; the result of `&`.

    Edges count here as the pairs they join; with relations or features, which would be lost, refused.

    >>> from regard import Edges
    >>> (Edges(torch.tensor([0, 2]), torch.tensor([1, 1]), nodes=3) & Causal()).mask(3, 3).int()
    tensor([[0, 0, 0],
            [1, 0, 0],
            [0, 0, 0]], dtype=torch.int32)
    """

    left: Support
    right: Support

    def __post_init__(self) -> None:
        for one in (self.left, self.right):
            if not isinstance(one, Support):
                raise RegardError(
                    "a support combines with another",
                    told(one),
                    "pass two objects: Causal() & Window(3)",
                )

    @property
    def adds(self) -> bool:  # pyright: ignore[reportIncompatibleVariableOverride]
        """Whether one of the two adds to the scores."""
        return self.left.adds or self.right.adds

    @property
    def note(self) -> str:  # pyright: ignore[reportIncompatibleVariableOverride]
        """What the two have to say."""
        return self.left.note + self.right.note

    def fit(self, q: Tensor, k: Tensor) -> None:
        self.left.fit(q, k)
        self.right.fit(q, k)

    def mask(self, n: int, m: int, device: torch.device | str = "cpu") -> Bool[Tensor, "*axes n m"] | None:
        left, right = self.left.mask(n, m, device), self.right.mask(n, m, device)
        return right if left is None else left if right is None else left & right

    def bias(
        self, n: int, m: int, device: torch.device | str = "cpu", kind: torch.dtype = torch.float32
    ) -> Float[Tensor, "*axes n m"] | None:
        left, right = self.left.bias(n, m, device, kind), self.right.bias(n, m, device, kind)
        return right if left is None else left if right is None else left + right


@dataclass(frozen=True, eq=False)
class Either(Both):
    """What one of two supports allows; the result of `|`. A mask that adds to the scores is refused."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.adds:
            raise RegardError(
                "either of two supports: what an additive mask adds would be lost",
                f"{type(self.left).__name__} | {type(self.right).__name__}",
                "keep where it may look alone, Mask(mask > -torch.inf), or combine with &",
            )

    def mask(self, n: int, m: int, device: torch.device | str = "cpu") -> Bool[Tensor, "*axes n m"] | None:
        left, right = self.left.mask(n, m, device), self.right.mask(n, m, device)
        return None if left is None or right is None else left | right


def positions(n: int, m: int, offset: Offset, device: torch.device | str) -> Int[Tensor, "*axes n 1"]:
    """The places of the queries among the keys, as a column; one per row where offsets differ by row."""
    if isinstance(offset, Tensor) and offset.dim():
        offset = offset.to(device).view(-1, 1, 1, 1)
    return torch.arange(n, device=device).unsqueeze(1) + (m - n if offset is None else offset)


def check_offset(offset: Offset, q: Tensor) -> None:
    """Raise where an offset is no number, or one that differs by row has not one entry per row."""
    if isinstance(offset, Tensor) and (offset.is_floating_point() or offset.is_complex()):
        raise RegardError("offset is a whole number", f"{offset.dtype}", "convert it with .long()")
    if isinstance(offset, Tensor) and offset.dim() and tuple(offset.shape) != (q.shape[0],):
        raise RegardError(
            "offset needs one number, or one for each row of the batch",
            f"offsets {tuple(offset.shape)}, {q.shape[0]} rows",
            f"shape them ({q.shape[0]},)",
        )


def draw(mask: Bool[Tensor, "n m"]) -> str:
    """The mask as text: a filled square where the query (row) may look at the key (column)."""
    return "\n".join(" ".join("■" if seen else "·" for seen in row) for row in mask.tolist())


def gallery() -> dict[str, Support]:
    """One example of each support over nine places."""
    ids = torch.tensor([0, 0, 0, 1, 1, 1, 1, 2, 2])
    cross = [(0, 0), (0, 1), (0, -1), (1, 0), (-1, 0)]
    return {
        "Causal()": Causal(),
        "Window(1)": Window(1),
        "Window(2, causal=True)": Window(2, causal=True),
        "Grid((3, 3), cross)": Grid((3, 3), cross),
        "Packed(ids)": Packed(ids),
        "Causal() & Packed(ids)": Causal() & Packed(ids),
        "Window(1) | Packed(ids)": Window(1) | Packed(ids),
    }


if __name__ == "__main__":
    for name, support in gallery().items():
        allowed = support.mask(9, 9)
        assert allowed is not None
        print(f"{name}\n{draw(allowed)}\n")
