"""Border effects: which pixels a filter element never meets, how a response depends on its place."""

import copy
from collections.abc import Mapping
from itertools import product

import torch
import torch.nn.functional as F
from torch import Tensor

from regard.experiments.images.padding.networks import STRIDES, WIDTHS, Border, Filters, Net1
from regard.experiments.images.padding.pictures import SIDE, SQUARE
from regard.models.cnn import KERNEL

STRIDE = int(torch.tensor(STRIDES).prod())
"How far the four convolutions step together."
GAP = 6
"Columns from the corner of the red square to that of the green one in the pattern that is moved about."


def missing(side: int) -> Tensor:
    """For each pixel, how many of the nine that a filter needs there lie outside of the picture."""
    ones = torch.ones(1, 1, side, side)
    return KERNEL**2 - F.conv2d(ones, torch.ones(1, 1, KERNEL, KERNEL), padding=1)[0, 0]


def unmet(border: Border, side: int) -> Tensor:
    """For each of the nine filter elements, the pixels that it never multiplies: 3, 3, row, column."""
    layer = border.convolution(1, 1)
    found = torch.empty(KERNEL, KERNEL, side, side, dtype=torch.bool)
    for row in range(KERNEL):
        for column in range(KERNEL):
            with torch.no_grad():
                layer.weight.zero_()[0, 0, row, column] = 1
            pixels = torch.zeros(1, 1, side, side, requires_grad=True)
            (met,) = torch.autograd.grad(layer(pixels).sum(), pixels)
            found[row, column] = met[0, 0] == 0
    return found


def low(index: int) -> str:
    """An index of one digit, set low.

    >>> low(1), low(2)
    ('₁', '₂')
    """
    return "₀₁₂₃₄₅₆₇₈₉"[index]


def first_response() -> tuple[list[str], list[str]]:
    """The terms of f₁₁ = Σ h_(a,b) g_(1−a,1−b): those inside of a picture that begins at g₁₁, and those outside."""
    steps = {-1: "₋", 0: "₀", 1: "₊"}
    inside, outside = [], []
    for a, b in product(steps, repeat=2):
        (inside if min(1 - a, 1 - b) >= 1 else outside).append(
            f"h{steps[a]}{steps[b]} g{low(1 - a)}{low(1 - b)}"
        )
    return inside, outside


def moved() -> Tensor:
    """Red left of green, at every place at which both squares fit: row, column, channel, row, column."""
    rows, columns = SIDE - SQUARE + 1, SIDE - SQUARE - GAP + 1
    found = torch.zeros(rows, columns, 3, SIDE, SIDE, dtype=torch.float64)
    for row in range(rows):
        for column in range(columns):
            for channel, at in ((0, column), (1, column + GAP)):
                found[row, column, channel, row : row + SQUARE, at : at + SQUARE] = 1
    return found


@torch.no_grad()
def responses(net: Net1, pictures: Tensor) -> tuple[Tensor, Tensor]:
    """Each filter's largest response to a pattern at each place, and how much more the net says 1 than 0."""
    precise = copy.deepcopy(net).double()
    maps = torch.cat([precise.filters(row).amax((2, 3)) for row in pictures])
    scores = precise.head(maps)
    shape = pictures.shape[:2]
    return maps.view(*shape, -1), (scores[:, 1] - scores[:, 0]).view(shape)


def change(maps: Tensor, step: int) -> float:
    """The largest change of a response when the pattern moves by `step`, by the largest response."""
    down = (maps[step:] - maps[:-step]).abs().max()
    right = (maps[:, step:] - maps[:, :-step]).abs().max()
    return (torch.maximum(down, right) / maps.abs().max()).item()


def seen_together(border: Border, pictures: Tensor) -> Tensor:
    """Whether any of the last windows of a picture sees both squares: filters of ones find out."""
    filters = Filters(border)
    with torch.no_grad():
        for weight in filters.parameters():
            weight.fill_(1 / weight[0].numel())
        red, green = (filters(_only(pictures, channel))[:, 0] > 0 for channel in (0, 1))
    return (red & green).flatten(1).any(1)


def in_one_window(left: Tensor, right: Tensor) -> Tensor:
    """Whether a window of the last map sees squares that begin in these columns, under full convolution.

    The windows are 17 columns wide and begin in columns −16, −8, 0, 8, …; the rows of a band fit into one.
    """
    return STRIDE * -(-right // STRIDE) - 2 * STRIDE <= left + SQUARE - 1


def columns(pictures: Tensor) -> Tensor:
    """The columns in which the left and the right square of each picture begin."""
    return pictures[:, :2].amax(2).argmax(2).sort(1).values


def _only(pictures: Tensor, channel: int) -> Tensor:
    alone = torch.zeros(len(pictures), WIDTHS[0], *pictures.shape[2:])
    alone[:, channel] = pictures[:, channel].float()
    return alone


def bent(maps: Mapping[str, Tensor]) -> dict[str, tuple[float, float]]:
    """By type, the largest change under a shift by the whole stride, and under a shift by half of it."""
    return {name: (change(one, STRIDE), change(one, STRIDE // 2)) for name, one in maps.items()}


def lone() -> dict[str, Tensor]:
    """A red square alone: near the left and the right side, and in the upper and the lower band.

    Each pair of places is apart by a multiple of the strides' product, and covers each rest once: what full
    convolution says of both sides, or of both bands, is the same.
    """
    places = {
        "left": product((7, 23), range(8)),
        "right": product((7, 23), range(20, 28)),
        "upper": product(range(3, 11), (4, 20)),
        "lower": product(range(19, 27), (4, 20)),
    }
    return {name: torch.stack([_red(*place) for place in chosen]) for name, chosen in places.items()}


def _red(row: int, column: int) -> Tensor:
    picture = torch.zeros(3, SIDE, SIDE, dtype=torch.float64)
    picture[0, row : row + SQUARE, column : column + SQUARE] = 1
    return picture


def told_by_place(net: Net1, squares: Mapping[str, Tensor]) -> tuple[float, float]:
    """How much more a net says 1 of a red square alone at the right than at the left, and below than above.

    Both are shares of the largest score. In class 1 red is right, and below.
    """
    scores = {name: responses(net, pictures[None])[1] for name, pictures in squares.items()}
    largest = max(one.abs().max() for one in scores.values())
    right, below = (
        (scores[more] - scores[less]).mean() / largest
        for more, less in (("right", "left"), ("lower", "upper"))
    )
    return right.item(), below.item()


def best_by_order() -> float:
    """The best accuracy, in percent, with what full convolution and the largest responses leave to see.

    Where one of the last windows (17 columns, a step of 8 apart) meets both squares, the order can be known.
    Where none does, each square's column is known but for multiples of 8; left squares begin in columns 0 to
    9, and so it hints at which one is left. All cases are counted, each as often as the recipe draws it.
    """
    together, apart = 0.0, dict.fromkeys(product(range(STRIDE), repeat=2), 0.0)
    for left in range(10):
        for right in range(left + 5, SIDE - SQUARE):
            share = 1 / 10 / (SIDE - SQUARE - left - 5)
            if in_one_window(torch.tensor(left), torch.tensor(right)):
                together += share
            else:
                apart[left % STRIDE, right % STRIDE] += share
    # With red at one rest and green at another, either may be left: the likelier is the best answer.
    guessed = sum(max(share, apart[pair[::-1]]) for pair, share in apart.items()) / 2
    return 100 * (together + guessed)
