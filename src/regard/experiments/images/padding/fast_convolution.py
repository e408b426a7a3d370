"""Fast convolution of mostly black pictures: computed once for each different lit window.

Without bias, what sees only black answers with zero; and what sees the same answers the same. Pictures that
are black but for two squares have few lit windows, and few of those differ. Which ones depends on pictures
and border, not on weights: it is found once, and each step of training then multiplies only there. The
result is that of `Net1` and `Net2`.
"""

from dataclasses import dataclass
from functools import reduce
from itertools import product
from typing import Any

import numpy
import torch
import torch.nn.functional as F
from torch import Tensor

from regard.experiments.images.padding.networks import STRIDES, Border, Filters, Net1, Net2
from regard.models.cnn import KERNEL

Array = numpy.ndarray
FILL = {"zeros": "constant", "circular": "wrap", "reflect": "reflect", "replicate": "edge"}
"What numpy calls the borders."


@dataclass(frozen=True)
class Reach:
    """The windows of one convolution that differ: what each sees, and which windows see each row before."""

    seen: Tensor
    "For each window the nine rows that it sees; the number after the last row stands for black."
    seers: Tensor
    "For each row before, the (window, filter element) pairs that see it, flat, row by row."
    starts: Tensor
    "Where the pairs of each row begin."


@dataclass(frozen=True)
class Lit:
    """A batch of pictures as the windows that its convolutions have to answer."""

    light: Tensor
    "The colours that occur, with black at the end."
    reaches: tuple[Reach, ...]
    "One for each convolution."
    places: Tensor
    "For each picture and place of the last map, the number of the window that it shows."


def light(pictures: Tensor, border: Border) -> Lit:
    """Find the lit windows of a batch that differ."""
    pixels = pictures.permute(0, 2, 3, 1).numpy()
    lit = numpy.asarray(pixels.any(-1))
    colours, grid = _distinct(pixels[lit].astype(numpy.int64), lit)
    rows, reaches = numpy.pad(colours, ((0, 1), (0, 0))), []
    for stride in STRIDES:
        found, grid = _reach(grid, len(reaches[-1].seen) if reaches else len(colours), border, stride)
        reaches.append(found)
    return Lit(torch.from_numpy(rows).float(), tuple(reaches), torch.from_numpy(grid).flatten(1))


def _reach(grid: Array, black: int, border: Border, stride: int) -> tuple[Reach, Array]:
    """The windows of a grid of row numbers (`black` is the last), and the grid of their own numbers."""
    edge = [(0, 0), *[(border.pixels, border.pixels)] * 2]
    fill: dict[str, Any] = {"constant_values": black} if border.mode == "zeros" else {}
    padded = numpy.pad(grid, edge, FILL[border.mode], **fill)  # type: ignore[call-overload]
    bright = _windows(padded != black, stride)
    # Nine whole grids at once: numpy's own `any` over the last two axes takes ten times as long.
    lit = reduce(
        numpy.logical_or, (bright[..., row, column] for row, column in product(range(KERNEL), repeat=2))
    )
    seen, after = _distinct(_windows(padded, stride)[lit].reshape(-1, KERNEL**2), lit)
    order = numpy.argsort(seen, axis=None, kind="stable")
    starts = numpy.searchsorted(seen.ravel()[order], numpy.arange(black + 1))
    parts = (seen, order[: starts[-1]], starts[:-1])
    return Reach(*map(torch.from_numpy, parts)), after


def _windows(padded: Array, stride: int) -> Array:
    return numpy.lib.stride_tricks.sliding_window_view(padded, (KERNEL, KERNEL), (1, 2))[
        :, ::stride, ::stride
    ]


def _distinct(rows: Array, lit: Array) -> tuple[Array, Array]:
    """The rows that differ, and the grid of their numbers; dark places get the number after the last."""
    # Sorting one number for each row is far faster than sorting rows; the numbers are random, and checked.
    keys = rows @ numpy.random.default_rng(0).integers(-(2**62), 2**62, rows.shape[1])
    _, firsts, numbers = numpy.unique(keys, return_index=True, return_inverse=True)
    distinct = rows[firsts]
    assert (distinct[numbers] == rows).all(), "two different rows have one key"
    found = numpy.full(lit.shape, len(distinct))
    found[lit] = numbers
    return distinct, found


class _Convolve(torch.autograd.Function):
    """ReLU of a convolution at its windows; the gradient goes back along the same pairs."""

    @staticmethod
    def forward(ctx: Any, before: Tensor, weight: Tensor, reach: Reach, first: bool) -> Tensor:
        patches = before.index_select(0, reach.seen.flatten()).view(len(reach.seen), len(weight))
        after = before.new_empty(len(reach.seen) + 1, weight.shape[1])
        torch.mm(patches, weight, out=after[:-1])
        after[-1] = 0
        after.relu_()
        ctx.save_for_backward(patches, weight, after)
        ctx.reach, ctx.first = reach, first
        return after

    @staticmethod
    def backward(ctx: Any, slope: Tensor) -> tuple[Tensor | None, Tensor, None, None]:
        patches, weight, after = ctx.saved_tensors
        slope = (slope * (after > 0))[:-1]
        if ctx.first:
            return None, patches.t() @ slope, None, None
        each = (slope @ weight.t()).view(len(slope) * KERNEL**2, len(weight) // KERNEL**2)
        # A sum over the pairs of each row, without writing to any row twice.
        back = F.embedding_bag(ctx.reach.seers, each, ctx.reach.starts, mode="sum")
        return F.pad(back, (0, 0, 0, 1)), patches.t() @ slope, None, None


def respond(filters: Filters, batch: Lit) -> Tensor:
    """The responses after the last ReLU to each window, and a zero at the end."""
    values = batch.light
    for number, (weight, reach) in enumerate(zip(filters.parameters(), batch.reaches, strict=True)):
        rows = weight.permute(2, 3, 1, 0).flatten(0, 2)
        values = _Convolve.apply(values, rows, reach, number == 0)
    return values


def score(net: Net1 | Net2, batch: Lit) -> Tensor:
    """What the network says of a batch: equal to `net(pictures)` but for rounding."""
    values = respond(net.filters, batch)
    count, places = batch.places.shape
    side = round(places**0.5)
    maps = values.index_select(0, batch.places.flatten()).view(count, side, side, -1)
    return net.decide(maps.permute(0, 3, 1, 2))
