"""U-Net: down to a small picture that knows what, up again with skips that know where.

Ronneberger, Fischer and Brox, "U-Net: Convolutional Networks for Biomedical Image Segmentation", 2015; with a
batch norm after each convolution, which the paper has not.
"""

from collections.abc import Collection
from itertools import count

import torch
from torch import Tensor, nn

from regard.arguments import check_sizes as at_least
from regard.arguments import check_tensor, kinds
from regard.errors import RegardError
from regard.shapes import Float

DEEPEST = 16
"Levels of the deepest network: the channels double at each."


class Stage(nn.Sequential):
    """Twice a convolution of 3 by 3, a batch norm and a ReLU; unpadded it takes two pixels off each side.

    >>> Stage(3, 5, padded=False)(torch.zeros(2, 3, 7, 11)).shape
    torch.Size([2, 5, 3, 7])
    """

    def __init__(self, channels: int, width: int, *, padded: bool = True) -> None:
        layers: list[nn.Module] = []
        for given in (channels, width):
            convolution = nn.Conv2d(given, width, 3, padding=int(padded), bias=False)
            layers += [convolution, nn.BatchNorm2d(width), nn.ReLU()]
        super().__init__(*layers)


class Down(nn.Module):
    """Half the size by max pooling, then a `Stage`.

    Padded, an odd size is rounded up, so that no pixel is lost; unpadded, down, as in the paper.

    >>> Down(3, 5)(torch.zeros(2, 3, 7, 11)).shape
    torch.Size([2, 5, 4, 6])
    """

    @kinds
    def __init__(self, channels: int, width: int, *, padded: bool = True) -> None:
        super().__init__()
        at_least("Down", channels=channels, width=width)
        self.pool = nn.MaxPool2d(2, ceil_mode=padded)
        self.stage = Stage(channels, width, padded=padded)

    def forward(self, x: Float[Tensor, "b c y x"]) -> Float[Tensor, "b w y2 x2"]:
        """The smaller picture."""
        check_tensor("Down", "x", x, "b c y x")
        return self.stage(self.pool(x))


class Up(nn.Module):
    """Twice the size by a transposed convolution to half the channels, the skip beside it, then a `Stage`.

    Padded, what came up is cut to the size of the skip (it is a pixel larger where that is odd); unpadded,
    the skip is cut to the middle. A level without a skip still goes to that size.

    >>> Up(10, 5)(torch.zeros(2, 10, 4, 6), torch.zeros(2, 5, 7, 11)).shape
    torch.Size([2, 5, 7, 11])
    """

    @kinds
    def __init__(self, channels: int, width: int, *, skip: bool = True, padded: bool = True) -> None:
        super().__init__()
        at_least("Up", channels=channels, width=width)
        self.skip, self.padded = skip, padded
        self.rise = nn.ConvTranspose2d(channels, width, 2, stride=2)
        self.stage = Stage(2 * width if skip else width, width, padded=padded)

    def forward(
        self, x: Float[Tensor, "b c y x"], skip: Float[Tensor, "b w y2 x2"]
    ) -> Float[Tensor, "b w y3 x3"]:
        """The larger picture."""
        check_tensor("Up", "x", x, "b c y x")
        check_tensor("Up", "skip", skip, "b w y x")
        x = self.rise(x)
        if self.padded:
            x = x[..., : skip.shape[-2], : skip.shape[-1]]
        return self.stage(torch.cat([middle(skip, x), x], 1) if self.skip else x)


class UNet(nn.Module):
    """Scores of each class at each pixel: `depth` times down, as often up, channels doubling on the way down.

    Padded, the scores have the size of the picture, whatever it is. Unpadded ("valid") they are smaller, as
    in the paper, and none of them saw a made-up border.

    >>> model = UNet(channels=1, classes=3, width=4, depth=2)
    >>> model(torch.zeros(2, 1, 17, 23)).shape
    torch.Size([2, 3, 17, 23])
    >>> UNet(channels=1, classes=2, width=1, depth=4, padded=False).output_size(572)
    388
    """

    @kinds
    def __init__(
        self,
        *,
        channels: int,
        classes: int,
        width: int = 64,
        depth: int = 4,
        skips: Collection[int] | None = None,
        padded: bool = True,
    ) -> None:
        """`skips` names the levels that have one, 0 the topmost; None is all of them, () none."""
        super().__init__()
        self.channels, self.depth, self.padded = channels, depth, padded
        self.skips = frozenset(range(min(depth, DEEPEST)) if skips is None else skips)
        at_least("UNet", channels=channels, classes=classes, width=width)
        at_least("UNet", least=0, depth=depth)
        if depth > DEEPEST:
            raise RegardError(
                "a U-Net halves the picture at every level", f"depth={depth}", f"pass {DEEPEST} or less"
            )
        check_skips(depth, self.skips)
        widths = [width * 2**level for level in range(depth + 1)]
        self.first = Stage(channels, width, padded=padded)
        self.down = nn.ModuleList(Down(w, 2 * w, padded=padded) for w in widths[:-1])
        self.up = nn.ModuleList(
            Up(2 * widths[level], widths[level], skip=level in self.skips, padded=padded)
            for level in reversed(range(depth))
        )
        self.head = nn.Conv2d(width, classes, 1)

    def forward(
        self, x: Float[Tensor, "b c y x"], *, cut: Collection[int] = ()
    ) -> Float[Tensor, "b k y2 x2"]:
        """The scores; at the levels of `cut` a skip carries its mean over the picture and no place."""
        self.check(x, cut)
        x, levels = self.first(x), []
        for down in self.down:
            levels.append(x)
            x = down(x)
        for level, up in zip(reversed(range(self.depth)), self.up, strict=True):
            skip = levels[level]
            x = up(x, skip.mean((-2, -1), keepdim=True).expand_as(skip) if level in cut else skip)
        return self.head(x)

    def output_size(self, size: int) -> int:
        """How many pixels the scores have where the picture has `size`; 0 where it is too small."""
        if self.padded:
            return size
        for level in range(self.depth + 1):
            size = (size // 2 if level else size) - 4
            if size < 1:
                return 0
        for _ in range(self.depth):
            size = 2 * size - 4
        return max(size, 0)

    def check(self, x: Tensor, cut: Collection[int]) -> None:
        """Raise where a picture or a cut does not fit the network."""
        check_tensor("UNet", "x", x, "b c y x")
        if x.shape[1] != self.channels:
            raise RegardError(
                f"this U-Net reads {self.channels} channels",
                f"{x.shape[1]} channels",
                f"build it with channels={x.shape[1]}, or pass other pictures",
            )
        if min(map(self.output_size, x.shape[-2:])) < 1:
            least = next(size for size in count(1) if self.output_size(size))
            raise RegardError(
                f"without padding this U-Net needs pictures of {least} by {least} pixels",
                f"{x.shape[-2]} by {x.shape[-1]} pixels",
                "pass larger pictures, or build it with a smaller depth or padded=True",
            )
        if unknown := sorted(set(cut) - self.skips):
            raise RegardError(
                "a cut names a level that has no skip",
                f"level {unknown[0]}, skips at {sorted(self.skips)}",
                "cut levels that have one",
            )


def middle(x: Tensor, like: Tensor) -> Tensor:
    """The middle of a picture, or of labels, in the size of another; the whole where the sizes agree.

    >>> middle(torch.arange(5.0).view(1, 5), torch.zeros(1, 3))
    tensor([[1., 2., 3.]])
    """
    (rows, columns), (y, x_) = x.shape[-2:], like.shape[-2:]
    top, left = (rows - y) // 2, (columns - x_) // 2
    return x[..., top : top + y, left : left + x_]


def check_skips(depth: int, skips: frozenset[int]) -> None:
    """Raise where a level is named that the network has not."""
    if not skips <= set(range(depth)):
        raise RegardError(
            f"a U-Net of depth {depth} has the levels 0 to {depth - 1}"
            if depth
            else "a U-Net of depth 0 has no skips",
            f"skips={sorted(skips)}",
            "name levels it has; skips=None is all of them, skips=() none",
        )
