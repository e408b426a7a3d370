"""Group-equivariant convolutions (P4): each filter in four orientations (Cohen and Welling, 2016)."""

from itertools import pairwise
from math import sqrt

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from regard.arguments import check_sizes, kinds
from regard.errors import RegardError
from regard.models.cnn import KERNEL, check_pictures
from regard.shapes import Float

TURNS = 4


class Lift(nn.Module):
    """A picture's response to each filter turned by 0, 90, 180 and 270 degrees.

    Turning the picture turns every map and moves it on by one orientation: out(Rx)[r] = R out(x)[r − 1].
    """

    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(_uniform(outputs, inputs, KERNEL, KERNEL))
        self.bias = nn.Parameter(torch.zeros(outputs))

    def forward(self, pictures: Float[Tensor, "b c y x"]) -> Float[Tensor, "b o 4 y x"]:
        filters = torch.stack([self.weight.rot90(turn, (2, 3)) for turn in range(TURNS)], 1)
        return _convolve(pictures, filters, self.bias, padding=1)


class Turn(nn.Module):
    """From four orientations to four: out[r] = sum over s of in[s] * R^r weight[s − r].

    Turning the filter by r also moves its own orientations on by r, and so the law of `Lift` holds here too.
    """

    def __init__(self, inputs: int, outputs: int, *, kernel: int = KERNEL, padding: int = 1) -> None:
        super().__init__()
        self.padding = padding
        self.weight = nn.Parameter(_uniform(outputs, inputs, TURNS, kernel, kernel))
        self.bias = nn.Parameter(torch.zeros(outputs))

    def forward(self, maps: Float[Tensor, "b c 4 y x"]) -> Float[Tensor, "b o 4 v u"]:
        turned = [self.weight.rot90(turn, (3, 4)).roll(turn, 2) for turn in range(TURNS)]
        return _convolve(
            maps.flatten(1, 2), torch.stack(turned, 1).flatten(2, 3), self.bias, padding=self.padding
        )


class P4ConvNet(nn.Module):
    """A classifier that gives the same scores to a picture and to its quarter turns, whatever its weights.

    It is `ConvNet` with turned filters: three convolutions, with max pooling by 2 wherever the side is even
    (an odd side would lose a row on one side only), a filter as large as the map, and the largest of its four
    orientations.
    """

    @kinds
    def __init__(
        self,
        *,
        channels: int = 3,
        side: int = 32,
        classes: int = 10,
        widths: tuple[int, int, int] = (8, 16, 16),
        hidden: int = 32,
    ) -> None:
        super().__init__()
        sizes = dict(zip(("widths[0]", "widths[1]", "widths[2]"), widths, strict=True))
        check_sizes("P4ConvNet", channels=channels, classes=classes, hidden=hidden, **sizes)
        check_sizes("P4ConvNet", least=0, side=side)
        self.side = side
        if side % 4 or side < 8:
            raise RegardError(
                "a picture that is halved twice has a side that 4 divides",
                f"a side of {side}",
                "pad the pictures evenly, to 28 or 32 say",
            )
        self.lift = Lift(channels, widths[0])
        self.turns = nn.ModuleList(Turn(inputs, outputs) for inputs, outputs in pairwise(widths))
        self.hidden = Turn(widths[-1], hidden, kernel=side // (8 if side % 8 == 0 else 4), padding=0)
        self.head = nn.Linear(hidden, classes)

    def forward(self, pictures: Float[Tensor, "b c y x"]) -> Float[Tensor, "b k"]:
        check_pictures("P4ConvNet", pictures, self.lift.weight.shape[1], self.side)
        maps = _halve(F.relu(self.lift(pictures)))
        for turn in self.turns:
            maps = _halve(F.relu(turn(maps)))
        return self.head(F.relu(self.hidden(maps)).flatten(2).amax(2))


def _convolve(maps: Tensor, filters: Tensor, bias: Tensor, *, padding: int) -> Tensor:
    """One ordinary convolution for all orientations of all filters."""
    found = F.conv2d(maps, filters.flatten(0, 1), bias.repeat_interleave(TURNS), padding=padding)
    return found.unflatten(1, (len(filters), TURNS))


def _halve(maps: Tensor) -> Tensor:
    return F.max_pool3d(maps, (1, 2, 2)) if maps.shape[-1] % 2 == 0 else maps


def _uniform(outputs: int, *rest: int) -> Tensor:
    """Weights as torch draws those of a convolution: evenly within ± 1 / √(inputs of one output)."""
    bound = 1 / sqrt(torch.Size(rest).numel())
    return torch.empty(outputs, *rest).uniform_(-bound, bound)
