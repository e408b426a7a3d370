"""The figures of the experiment `linear-attention`, and what to see in them."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from torch import Tensor

from regard.lab.book.style import log_ticks, mark_place, panels, style

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COST = (
    "Operations (counted) and time (the fastest of several calls) of one call against the length. On these "
    "axes N² is a line twice as steep as N. The quadratic kernel has (D + 1)(D + 2)/2 features: look where its "
    "line crosses that of softmax in each panel, and how far that is from N = D², which is marked on the left."
)
RANK = (
    "Singular values of softmax attention over 256 random tokens, largest first, with the scores multiplied by "
    "three numbers: the larger, the sharper the attention. If attention is of low rank, its curve drops early; "
    "what lies right of the mark is what the low-rank form cuts off."
)


def draw_cost(
    lengths: Sequence[int],
    counted: Mapping[str, Sequence[int]],
    seconds: Mapping[str, Sequence[float]],
    width: int,
) -> "Figure":
    """Operations and time of each form by length, and a mark at the square of the width."""
    with style():
        figure, (left, right) = panels(2, width=7.6, height=3.2)
        for name in counted:
            left.plot(lengths, counted[name], label=name)
            right.plot(lengths, [1e3 * one for one in seconds[name]], label=name)
        mark_place(left, width**2, "N = D²", at=0.1)
        for axis, title in ((left, "operations"), (right, "milliseconds")):
            axis.set(title=title, xlabel="length N", yscale="log")
            log_ticks(axis, lengths, fontsize=8)
        right.legend(loc="upper left")
        return figure


def draw_rank(spectra: Mapping[float, Tensor], rank: int) -> "Figure":
    """Singular values of attention by sharpness, each divided by the largest; a line where they are cut."""
    with style():
        figure, (axis,) = panels(height=3.0)
        for sharpness, values in spectra.items():
            label = f"scores × {sharpness:g}"
            axis.plot(range(1, len(values) + 1), values / values[0], marker="", label=label)
        mark_place(axis, rank)
        axis.set(title="singular values of the attention matrix", xlabel="index")
        axis.set(yscale="log", ylim=(1e-6, 2))
        axis.legend()
        return figure
