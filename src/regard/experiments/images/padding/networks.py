"""Four bias-free convolutions under six borders (Kayhan and van Gemert, 2020): Net1 pools, Net2 keeps places."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import torch.nn.functional as F
from torch import Tensor, nn

from regard.errors import RegardError
from regard.models.cnn import KERNEL, check_channels
from regard.shapes import Float

WIDTHS, STRIDES = (3, 32, 32, 64, 64), (1, 2, 2, 2)
"Channels before, between and after the four convolutions, and how far each steps."


@dataclass(frozen=True)
class Border:
    """What a convolution sees beyond the edge: `pixels` rows and columns on each side, filled by `mode`.

    >>> Border("zeros", 2).sizes(32)
    (34, 18, 10, 6)
    """

    mode: Literal["zeros", "circular", "reflect", "replicate"]
    "What fills the border: nothing, the far side, the mirrored picture, or its outermost pixels."
    pixels: int
    "How wide the border is."

    def convolution(self, inputs: int, outputs: int, *, stride: int = 1) -> nn.Conv2d:
        """A convolution without bias under this border."""
        return nn.Conv2d(
            inputs,
            outputs,
            KERNEL,
            stride=stride,
            padding=self.pixels,
            padding_mode=self.mode,
            bias=False,
        )

    def size(self, side: int, stride: int = 1) -> int:
        """Pixels of a side of the output: (side + 2 · pixels − 3) // stride + 1."""
        return (side + 2 * self.pixels - KERNEL) // stride + 1

    def sizes(self, side: int) -> tuple[int, ...]:
        """The side after each of the four convolutions, or the reason why there is none."""
        found = [side]
        for stride in STRIDES:
            short = found[-1] + 2 * self.pixels < KERNEL
            # A border cannot mirror or repeat more than there is.
            bare = {"reflect": self.pixels >= found[-1], "circular": self.pixels > found[-1]}.get(self.mode)
            if short or bare or found[-1] < 1:
                raise RegardError(
                    "the picture is smaller than four convolutions need under this border",
                    f"a side of {side}, {found[-1]} before convolution {len(found)}, and {self}",
                    "pass larger pictures, or a wider border of zeros",
                )
            found.append(self.size(found[-1], stride))
        return tuple(found[1:])


BORDERS = {
    "valid": Border("zeros", 0),
    "sconv": Border("zeros", 1),
    "fconv": Border("zeros", 2),
    "circular": Border("circular", 2),
    "reflect": Border("reflect", 2),
    "replicate": Border("replicate", 2),
}
"The six types of convolution, by the names of Amsterdam A2."


class Filters(nn.Module):
    """Four convolutions of 3 by 3 without bias, a ReLU after each: of black they make zero."""

    def __init__(self, border: Border) -> None:
        super().__init__()
        self.border = border
        self.layers = nn.ModuleList(
            border.convolution(inputs, outputs, stride=stride)
            for (inputs, outputs), stride in zip(pairwise(WIDTHS), STRIDES, strict=True)
        )

    def forward(self, pictures: Float[Tensor, "b c y x"]) -> Float[Tensor, "b o v u"]:
        check_channels(pictures, WIDTHS[0])
        for side in pictures.shape[2:]:
            self.border.sizes(side)
        *_, last = self.maps(pictures)
        return last

    def maps(self, pictures: Tensor) -> Iterator[Tensor]:
        """The maps after each ReLU."""
        for layer in self.layers:
            pictures = F.relu(layer(pictures))
            yield pictures


class Net1(nn.Module):
    """Four convolutions, the largest response of each filter, a linear layer: what is there, not where."""

    def __init__(self, border: Border) -> None:
        super().__init__()
        self.filters = Filters(border)
        self.head = nn.Linear(WIDTHS[-1], 2)

    def forward(self, pictures: Float[Tensor, "b c y x"]) -> Float[Tensor, "b 2"]:
        return self.decide(self.filters(pictures))

    def decide(self, maps: Float[Tensor, "b c v u"]) -> Float[Tensor, "b 2"]:
        """The two scores, from the last maps."""
        return self.head(F.adaptive_max_pool2d(maps, 1).flatten(1))


class Net2(nn.Module):
    """Four convolutions, all responses side by side, two linear layers: each place has weights of its own."""

    def __init__(self, border: Border, side: int = 32) -> None:
        super().__init__()
        self.filters = Filters(border)
        self.side = border.sizes(side)[-1]
        self.hidden = nn.Linear(WIDTHS[-1] * self.side**2, 64)
        self.head = nn.Linear(64, 2)

    def forward(self, pictures: Float[Tensor, "b c y x"]) -> Float[Tensor, "b 2"]:
        return self.decide(self.filters(pictures))

    def decide(self, maps: Float[Tensor, "b c v u"]) -> Float[Tensor, "b 2"]:
        """The two scores, from the last maps."""
        if maps.shape[2:] != (self.side, self.side):
            raise RegardError(
                "this network has weights for maps of another size",
                f"maps of {tuple(maps.shape[2:])}, weights for {(self.side, self.side)}",
                "pass pictures of the side that it was built for",
            )
        return self.head(self.hidden(maps.flatten(1)))
