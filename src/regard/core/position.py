"""Position encodings: rotary (RoPE), ALiBi, relative. `python -m regard.core.position` draws them.

Unless an offset says otherwise, keys stand at 0, 1, 2, ... and the queries are the last of them.
"""

from dataclasses import dataclass
from math import floor, inf, log2

import torch
from torch import Tensor, nn

from regard.arguments import check, check_fields, check_sizes, kinds
from regard.core.support import Offset, check_offset, positions
from regard.errors import RegardError, nearest
from regard.shapes import Float, Int

PAIRINGS = ("halves", "adjacent")
Places = Int[Tensor, "..."]


class Position:
    """The protocol: turn the tensors, or add a bias to the scores; by default neither."""

    offset: Offset = None

    def fit(self, q: Tensor, k: Tensor) -> None:
        """Raise where the position's own sizes do not fit the tensors."""
        check_offset(self.offset, q)

    def turn(self, q: Tensor, k: Tensor) -> tuple[Tensor, Tensor]:
        """Queries and keys, turned to where they stand."""
        return q, k

    def bias(self, i: Places, j: Places, kind: torch.dtype = torch.float32) -> Float[Tensor, "..."] | None:
        """What is added to the score of query place i and key place j, head by head; -inf hides the pair.

        Over all pairs i is a column and j a row, over edges both are lists; where offsets differ by row, i
        has the axes (b 1) before that. The heads come right before the pairs.
        """
        return None


@dataclass(frozen=True, eq=False)
class Rotary(Position):
    """Turns pairs of channels by angles in proportion to the place, so that q · k depends on i - j alone.

    angle = place / base^(2 t / d) for pair t, which is the channels (t, t + d/2) or (2 t, 2 t + 1).

    >>> q = torch.tensor([1.0, 0.0]).view(1, 1, 1, 2)
    >>> Rotary().rotate(q, torch.tensor([2])).flatten()       # cos 2, sin 2
    tensor([-0.4161,  0.9093])
    """

    base: float = 10_000.0
    "The slowest pair turns about once in 2 pi times this many places."
    pairing: str = "halves"
    "Which channels are turned together: 'halves' or 'adjacent'."
    offset: Offset = None
    "The place of query 0 among the keys; the last ones when it is None."
    positions: Int[Tensor, "*b m"] | None = None
    "The place of each key, (m) or row by row (b m); 0, 1, 2, ... when it is None."

    def __post_init__(self) -> None:
        check_fields(self)
        if self.pairing not in PAIRINGS:
            raise RegardError(
                "no pairing of that name",
                repr(self.pairing),
                nearest(self.pairing, PAIRINGS, "pairing='halves' or pairing='adjacent'"),
            )
        if not 0 < self.base < inf:
            raise RegardError("Rotary: base is above 0, and finite", f"base={self.base}", "10000 is usual")

    def fit(self, q: Tensor, k: Tensor) -> None:
        check_offset(self.offset, q)
        if q.shape[-1] % 2:
            raise RegardError(
                "Rotary turns pairs of channels", f"width {q.shape[-1]}", "use an even width per head"
            )
        if self.positions is not None and tuple(self.positions.shape) not in (
            (k.shape[2],),
            (k.shape[0], k.shape[2]),
        ):
            raise RegardError(
                "Rotary needs one place per key",
                f"positions {tuple(self.positions.shape)} for {k.shape[0]} rows of {k.shape[2]} keys",
                f"shape them ({k.shape[2]},) or ({k.shape[0]}, {k.shape[2]})",
            )

    def turn(self, q: Float[Tensor, "b h n d"], k: Float[Tensor, "b g m d"]) -> tuple[Tensor, Tensor]:
        n, m = q.shape[2], k.shape[2]
        index = positions(n, m, self.offset, q.device).squeeze(-1)
        index = index.squeeze(1) if index.dim() == 3 else index
        keys = torch.arange(m, device=k.device) if self.positions is None else self.positions.to(k.device)
        if self.positions is None:
            return self.rotate(q, index), self.rotate(k, keys)
        queries = keys.expand(q.shape[0], -1).gather(1, index.expand(q.shape[0], -1))
        return self.rotate(q, queries), self.rotate(k, keys)

    def rotate(self, x: Float[Tensor, "b h n d"], at: Int[Tensor, "*b n"]) -> Float[Tensor, "b h n d"]:
        """The tensor turned to the places, (n) or row by row (b n): for keys that go turned into a cache."""
        # Angles of distant places lose their fraction in half precision, so they stay in float32 or wider.
        kind = torch.float64 if x.dtype is torch.float64 else torch.float32
        return self.turned(x, *self.table(at, x.shape[-1], kind).unsqueeze(-3).unbind())

    def table(self, at: Int[Tensor, "*b n"], width: int, kind: torch.dtype) -> Float[Tensor, "2 *b n half"]:
        """Cosines and sines of the angles at these places, for so many channels."""
        half = width // 2
        speed = self.base ** (-torch.arange(half, dtype=kind, device=at.device) / half)
        angle = at.unsqueeze(-1) * speed
        return torch.stack([angle.cos(), angle.sin()])

    def turned(self, x: Float[Tensor, "b h n d"], cos: Tensor, sin: Tensor) -> Float[Tensor, "b h n d"]:
        """The tensor turned by angles of which these are the cosines and sines."""
        cos, sin, half = cos.to(x.dtype), sin.to(x.dtype), x.shape[-1] // 2
        a, b = (
            x.unflatten(-1, (2, half)).unbind(-2)
            if self.pairing == "halves"
            else x.unflatten(-1, (half, 2)).unbind(-1)
        )
        return torch.stack(
            [a * cos - b * sin, a * sin + b * cos], -2 if self.pairing == "halves" else -1
        ).flatten(-2)


@dataclass(frozen=True, eq=False)
class Alibi(Position):
    """-slope_h |i - j|: the farther, the less, each head at its own rate.

    >>> Alibi((0.5,)).bias(torch.tensor([[2]]), torch.arange(3))
    tensor([[[-1.0000, -0.5000, -0.0000]]])
    """

    slopes: tuple[float, ...]
    "One per head."
    offset: Offset = None
    "The place of query 0 among the keys; the last ones when it is None."

    def __post_init__(self) -> None:
        check_fields(self)
        if not all(-inf < slope < inf for slope in self.slopes):
            raise RegardError("Alibi needs finite slopes", f"slopes={self.slopes}", "Alibi.geometric(heads)")

    @classmethod
    def geometric(cls, heads: int, offset: Offset = None) -> "Alibi":
        """The usual slopes: 2^(-8 / p), its square, its cube, ... for p heads, p a power of two.

        Other numbers of heads take those of the next lower power, then every second one of the next higher.

        >>> Alibi.geometric(4).slopes
        (0.25, 0.0625, 0.015625, 0.00390625)
        """
        check("Alibi.geometric", "heads", heads, int)
        check_sizes("Alibi.geometric", heads=heads)
        lower = 2 ** floor(log2(heads))
        first = [2 ** (-8 * (t + 1) / lower) for t in range(lower)]
        between = [2 ** (-8 * (t + 1) / (2 * lower)) for t in range(0, 2 * (heads - lower), 2)]
        return cls(tuple(first + between), offset)

    def fit(self, q: Tensor, k: Tensor) -> None:
        check_offset(self.offset, q)
        check_heads("Alibi", "slopes", len(self.slopes), q)

    def bias(self, i: Places, j: Places, kind: torch.dtype = torch.float32) -> Float[Tensor, "..."]:
        distance = (i - j).abs()
        slopes = torch.tensor(self.slopes, dtype=kind, device=distance.device)
        return -slopes.view(-1, *[1] * (2 - distance.dim() % 2)) * distance


@dataclass(frozen=True, eq=False)
class Relative(Position):
    """p_(i-j): a scalar for each distance, for all heads or head by head; -inf hides a distance.

    The middle entry is p_0. Distances that the sequence does not reach are hidden.

    >>> Relative(torch.tensor([3.0, 0.0, 5.0])).bias(torch.arange(3).unsqueeze(1), torch.arange(3))
    tensor([[[0., 3., -inf],
             [5., 0., 3.],
             [-inf, 5., 0.]]])
    """

    p: Float[Tensor, "*h t"]
    "p_(-r) to p_r, (2 r + 1) or row by row of heads (h 2 r + 1)."
    offset: Offset = None
    "The place of query 0 among the keys; the last ones when it is None."

    def __post_init__(self) -> None:
        check_fields(self)
        if self.p.dim() not in (1, 2) or self.p.shape[-1] % 2 == 0 or not self.p.is_floating_point():
            raise RegardError(
                "Relative needs p for the distances -r to r, p_0 in the middle",
                f"p of shape {tuple(self.p.shape)}"
                + ("" if self.p.is_floating_point() else f" of {self.p.dtype}"),
                "pass 2 r + 1 scalars, or one such row per head",
            )

    def fit(self, q: Tensor, k: Tensor) -> None:
        check_offset(self.offset, q)
        check_heads("Relative", "sequences", self.p.shape[0] if self.p.dim() == 2 else 1, q)

    def bias(self, i: Places, j: Places, kind: torch.dtype = torch.float32) -> Float[Tensor, "..."]:
        distance, reach = i - j, self.p.shape[-1] // 2
        return look_up(self.p.to(kind), distance).masked_fill(distance.abs() > reach, -inf)


class LearnedRelative(nn.Module, Position):
    """p_(i-j) as parameters, from zero; distances beyond the reach share the last scalar.

    >>> LearnedRelative(heads=2, reach=3).bias(torch.arange(5).unsqueeze(1), torch.arange(5)).shape
    torch.Size([2, 5, 5])
    """

    @kinds
    def __init__(self, heads: int, reach: int, offset: Offset = None) -> None:
        super().__init__()
        check_sizes("LearnedRelative", heads=heads)
        check_sizes("LearnedRelative", least=0, reach=reach)
        self.offset = offset
        self.p = nn.Parameter(torch.zeros(heads, 2 * reach + 1))

    def fit(self, q: Tensor, k: Tensor) -> None:
        check_offset(self.offset, q)
        check_heads("LearnedRelative", "sequences", self.p.shape[0], q)

    def bias(self, i: Places, j: Places, kind: torch.dtype = torch.float32) -> Float[Tensor, "..."]:
        return look_up(self.p.to(kind), i - j)


def look_up(p: Float[Tensor, "*h t"], distance: Int[Tensor, "..."]) -> Float[Tensor, "..."]:
    """p at each distance, with the heads right before the pairs; beyond the ends, the ends."""
    reach = p.shape[-1] // 2
    values = (p if p.dim() == 2 else p.unsqueeze(0))[:, distance.clamp(-reach, reach).to(p.device) + reach]
    return values if distance.dim() < 3 else values[:, :, 0].transpose(0, 1)


def check_heads(name: str, things: str, count: int, q: Tensor) -> None:
    """Raise where a position was made for another number of heads."""
    if count not in (1, q.shape[1]):
        raise RegardError(
            f"{name} was made for other heads", f"{count} {things}, {q.shape[1]} heads", "give one per head"
        )


def draw(bias: Float[Tensor, "n m"]) -> str:
    """The bias as text, darker where it is larger; hidden pairs are blank."""
    seen = bias[bias > -inf]
    low, span = seen.min(), (seen.max() - seen.min()).clamp(min=1e-9)
    levels = ((bias - low) / span * 3).clamp(0, 3).round()
    shades = torch.where(bias == -inf, 4, levels).int().tolist()
    return "\n".join("".join("░▒▓█ "[shade] * 2 for shade in row) for row in shades)


def gallery(positions: int = 12) -> dict[str, Float[Tensor, "n m"]]:
    """One picture of each position: what it does to the scores of equal queries and keys."""
    i, j = torch.arange(positions).unsqueeze(1), torch.arange(positions)
    ones = torch.ones(1, 1, positions, 8)
    q, k = Rotary(base=100.0).turn(ones, ones)
    p = torch.tensor([1.0, -inf, 0.0, 2.0, 1.0])
    return {
        "Rotary(base=100): q · k of equal vectors": (q @ k.transpose(2, 3))[0, 0],
        "Alibi((0.1,))": Alibi((0.1,)).bias(i, j)[0],
        "Relative(p), p_(-1) = -inf": Relative(p).bias(i, j)[0],
    }


if __name__ == "__main__":
    for name, picture in gallery().items():
        print(f"{name}\n{draw(picture)}\n")
