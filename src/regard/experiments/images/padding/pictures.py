"""The red-green pictures: two squares, whose order goes with their height."""

import numpy
import torch
from torch import Tensor

from regard.errors import RegardError

SIDE, SQUARE, HALF = 32, 4, 16
"Pixels of a side of the picture, of a side of a square, and of the way between the two bands."


def red_green(count: int, *, seed: int, swapped: bool = False) -> tuple[Tensor, Tensor]:
    """Pictures of two squares (bytes 0 and 1: number, channel, row, column) and their classes.

    Even numbers are class 0: red is left of green, both in the upper band. Odd numbers are class 1: green is
    left of red, both in the lower band. `swapped` moves each picture to the other band, by 16 rows.

    >>> pictures, classes = red_green(4, seed=42)
    >>> moved, same = red_green(4, seed=42, swapped=True)
    >>> torch.equal(moved[0], pictures[0].roll(16, 1)), torch.equal(moved[1], pictures[1].roll(-16, 1))
    (True, True)
    >>> classes
    tensor([0, 1, 0, 1])
    """
    if count < 1:
        raise RegardError("no pictures were asked for", f"count={count}", "pass a count of 1 or more")
    classes = torch.arange(count) % 2
    corners = _corners(count, numpy.random.default_rng(seed))
    band = (classes.numpy() + swapped) % 2
    pictures = numpy.zeros((count, 3, SIDE, SIDE), numpy.uint8)
    for number, (left, right) in enumerate(corners):
        for place, (row, column) in enumerate((left, right)):
            top = row + HALF * band[number]
            channel = (place + number) % 2
            pictures[number, channel, top : top + SQUARE, column : column + SQUARE] = 1
    return torch.from_numpy(pictures), classes


def _corners(count: int, random: numpy.random.Generator) -> numpy.ndarray:
    """Row and column of the corners of the left and the right square, as in the upper band.

    The recipe draws the right square's column from the left one's to 27, and both its numbers again until the
    columns differ by 5 or more: that is a column drawn evenly from the left one's + 5 to 27, beside a row
    that does not care.
    """
    rows = random.integers(3, 11, (count, 2))
    left = random.integers(0, 10, count)
    right = random.integers(left + 5, SIDE - SQUARE)
    return numpy.stack([rows, numpy.stack([left, right], 1)], 2)
