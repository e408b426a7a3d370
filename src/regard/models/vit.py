"""Vision transformer (ViT) on patches of a picture, and a convolution as one of its layers.

Dosovitskiy and others, "An Image is Worth 16x16 Words", 2021; Cordonnier, Loukas and Jaggi, "On the
Relationship between Self-Attention and Convolutional Layers", 2020.
"""

from dataclasses import dataclass
from typing import Literal, get_args

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from regard.arguments import check, check_fields, check_sizes, check_tensor
from regard.core.attend import attend
from regard.core.normalise import Raw
from regard.core.position import Places, Position, check_heads
from regard.core.similarity import Constant
from regard.core.support import Full, Grid, Support, check_offset
from regard.errors import RegardError, nearest
from regard.models.attention import MultiHead
from regard.shapes import Float

Kind = Literal["learned", "relative", "none"]


@dataclass(frozen=True, kw_only=True)
class Sight:
    """The sizes of a transformer over patches, how far each patch sees, and how it knows where it is.

    >>> Sight(side=28, patch=4).grid
    (7, 7)
    """

    channels: int = 1
    "Channels of a picture."
    side: int = 28
    "Height and width of a picture."
    patch: int = 4
    "Height and width of a patch; it divides the side."
    classes: int = 10
    "Kinds of pictures."
    width: int = 48
    "Channels of a patch between the blocks."
    depth: int = 3
    "Blocks, one upon the other."
    heads: int = 4
    "Heads of each attention."
    reach: int | None = None
    "How many patches to each side are seen; all of them when None."
    position: Kind = "learned"
    "'learned' (a vector for each place), 'relative' (a number for each step and head), or 'none'."

    def __post_init__(self) -> None:
        check_fields(self)
        sizes = {name: getattr(self, name) for name in ("channels", "classes", "width", "depth", "heads")}
        check_sizes("Sight", **sizes)
        if self.patch < 1 or self.side < self.patch or self.side % self.patch:
            raise RegardError(
                "patches cover a picture without a rest",
                f"side={self.side}, patch={self.patch}",
                "choose a patch that divides the side",
            )
        if self.position not in get_args(Kind):
            fix = nearest(self.position, get_args(Kind), f"one of {', '.join(get_args(Kind))}")
            raise RegardError("no position of that name", repr(self.position), fix)
        check_sizes("Sight", side=self.side)
        if self.width % self.heads:
            raise RegardError(
                "heads share the width evenly",
                f"width={self.width}, heads={self.heads}",
                "choose heads that divide the width",
            )
        if self.reach is not None and self.reach < 0:
            raise RegardError("reach is a distance", f"reach={self.reach}", "pass 0 or more, or None for all")

    @property
    def grid(self) -> tuple[int, int]:
        """Patches along each axis."""
        return self.side // self.patch, self.side // self.patch

    @property
    def support(self) -> Support:
        """What a patch sees: all, or the square around it."""
        # What lies beyond the picture is seen by nobody.
        return Full() if self.reach is None else Grid(self.grid, square(min(self.reach, self.grid[0])))


class GridRelative(nn.Module, Position):
    """p_(dy, dx): a number for each step from a cell to another on a grid, by head, from zero.

    >>> GridRelative(2, (3, 5)).bias(torch.arange(15).unsqueeze(1), torch.arange(15)).shape
    torch.Size([2, 15, 15])
    """

    def __init__(self, heads: int, shape: tuple[int, int]) -> None:
        super().__init__()
        self.shape = shape
        self.p = nn.Parameter(torch.zeros(heads, 2 * shape[0] - 1, 2 * shape[1] - 1))

    def fit(self, q: Tensor, k: Tensor) -> None:
        check_offset(self.offset, q)
        check_heads("GridRelative", "tables", self.p.shape[0], q)

    def bias(self, i: Places, j: Places, kind: torch.dtype = torch.float32) -> Float[Tensor, "..."]:
        rows, columns = self.shape
        down = torch.div(j, columns, rounding_mode="floor") - torch.div(i, columns, rounding_mode="floor")
        right = j % columns - i % columns
        return self.p.to(kind)[:, down + rows - 1, right + columns - 1]


class PatchBlock(nn.Module):
    """x + attention(norm(x)), then x + MLP(norm(x)), patch by patch."""

    def __init__(self, sight: Sight) -> None:
        super().__init__()
        width = sight.width
        position = GridRelative(sight.heads, sight.grid) if sight.position == "relative" else None
        self.attention_norm = nn.LayerNorm(width)
        self.attention = MultiHead(width=width, heads=sight.heads, position=position)
        self.mlp_norm = nn.LayerNorm(width)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, x: Float[Tensor, "b n c"], support: Support) -> Float[Tensor, "b n c"]:
        """The patches after the block."""
        x = x + self.attention(self.attention_norm(x), support=support)
        return x + self.mlp(self.mlp_norm(x))


class PatchTransformer(nn.Module):
    """Scores of the kinds a picture may be of: patches, blocks, the mean over the patches, a linear map.

    >>> PatchTransformer(Sight(side=8, patch=4, width=8))(torch.zeros(2, 1, 8, 8)).shape
    torch.Size([2, 10])
    """

    def __init__(self, sight: Sight) -> None:
        super().__init__()
        check("PatchTransformer", "sight", sight, Sight)
        self.sight, self.support = sight, sight.support
        self.embed = nn.Linear(sight.channels * sight.patch**2, sight.width)
        cells = sight.grid[0] * sight.grid[1]
        learned = sight.position == "learned"
        # As large as the embedded patches: from 0.02 it learns first as if there were no places at all.
        self.positions = nn.Parameter(0.5 * torch.randn(cells, sight.width)) if learned else None
        self.blocks = nn.ModuleList(PatchBlock(sight) for _ in range(sight.depth))
        self.norm = nn.LayerNorm(sight.width)
        self.head = nn.Linear(sight.width, sight.classes)

    def forward(self, pictures: Float[Tensor, "b c y x"]) -> Float[Tensor, "b k"]:
        """The scores."""
        return self.head(self.norm(self.look(pictures)).mean(1))

    def look(self, pictures: Float[Tensor, "b c y x"]) -> Float[Tensor, "b n w"]:
        """The patches after all blocks."""
        sight, expected = self.sight, (self.sight.channels, self.sight.side, self.sight.side)
        check_tensor("PatchTransformer", "pictures", pictures, "b c y x")
        if tuple(pictures.shape[1:]) != expected:
            raise RegardError(
                "the pictures are not of the size that this transformer was made for",
                f"{tuple(pictures.shape[1:])}, made for {expected}",
                "pass pictures as number, channel, row, column, of that size",
            )
        x = self.embed(patches(pictures, sight.patch))
        x = x if self.positions is None else x + self.positions
        for block in self.blocks:
            x = block(x, self.support)
        return x


class Convolving(nn.Module):
    """A convolution as heads of attention: each sees one cell, a step away, and a linear map mixes them.

    y_i = W_out [x_(i + step 1); …; x_(i + step h)] + b. A cell beyond the edge is no key: its head gives
    zero, as padding with zeros does.

    >>> convolution = nn.Conv2d(2, 5, 3, padding=1)
    >>> x = torch.randn(1, 2, 4, 7)
    >>> torch.allclose(Convolving.from_torch(convolution, (4, 7))(x), convolution(x), atol=1e-5)
    True
    """

    def __init__(
        self, channels: int, outputs: int, shape: tuple[int, int], steps: list[tuple[int, int]]
    ) -> None:
        super().__init__()
        self.channels, self.heads = channels, len(steps)
        self.support = Grid(shape, [[step] for step in steps])
        self.out = nn.Linear(len(steps) * channels, outputs)

    def forward(self, x: Float[Tensor, "b c y x"]) -> Float[Tensor, "b k y x"]:
        """What the convolution gives."""
        cells = x.flatten(2).mT.unsqueeze(1).expand(-1, self.heads, -1, -1)
        found = attend(cells, cells, cells, similarity=Constant(), support=self.support, normalise=Raw())
        mixed = self.out(found.output.transpose(1, 2).flatten(2))
        return mixed.mT.unflatten(2, x.shape[2:])

    @classmethod
    def from_torch(cls, convolution: nn.Conv2d, shape: tuple[int, int]) -> "Convolving":
        """The layer that is this convolution on pictures of that shape."""
        reach = convolution.kernel_size[0] // 2
        odd = convolution.kernel_size == (2 * reach + 1,) * 2 and convolution.padding == (reach, reach)
        plain = convolution.stride == convolution.dilation == (1, 1) and convolution.groups == 1
        if not (odd and plain and convolution.padding_mode == "zeros"):
            raise RegardError(
                "only a convolution that keeps the size, with a border of zeros, is one layer of attention",
                f"{convolution}",
                "take an odd square kernel k with padding=k // 2, stride 1, dilation 1 and one group",
            )
        layer = cls(convolution.in_channels, convolution.out_channels, shape, square(reach)).to(
            convolution.weight
        )
        with torch.no_grad():
            layer.out.weight.copy_(convolution.weight.permute(0, 2, 3, 1).flatten(1))
            layer.out.bias.copy_(0.0 * layer.out.bias if convolution.bias is None else convolution.bias)
        return layer


def square(reach: int) -> list[tuple[int, int]]:
    """Steps (down, right) to every cell of the square around one, row by row.

    >>> square(1)[:3]
    [(-1, -1), (-1, 0), (-1, 1)]
    """
    steps = range(-reach, reach + 1)
    return [(down, right) for down in steps for right in steps]


def patches(pictures: Float[Tensor, "b c y x"], size: int) -> Float[Tensor, "b n d"]:
    """The patches of pictures row by row, the pixels of each in one vector.

    >>> patches(torch.arange(8.0).view(1, 1, 2, 4), 2)
    tensor([[[0., 1., 4., 5.],
             [2., 3., 6., 7.]]])
    """
    return F.unfold(pictures, size, stride=size).mT
