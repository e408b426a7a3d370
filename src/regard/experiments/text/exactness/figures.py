"""The figures of the experiment `exactness`, and what to see in them."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from regard.experiments.text.exactness.machine import crossing, standard
from regard.lab.book.style import BLACK, BLUE, GREEN, ORANGE, log_ticks, panels, style

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TIME = (
    "Milliseconds of a call against the length: the fastest of some calls in turn on the machine of this run, "
    "with as many threads as torch has there."
)
BYTES = (
    "What moves between the slow and the fast memory. Step by step, the N × N scores and weights are "
    "written and read again. Tiled, they never leave the chip: only keys and values come in again for each "
    "block of queries, and the larger the chip, the smaller the number of blocks. By the formula tiling gains where a block "
    "holds more than about d/2 queries."
)


def draw_times(lengths: Sequence[int], curves: Mapping[str, Sequence[float]]) -> "Figure":
    """Milliseconds by length, of the reference and of flash attention; the curves are in seconds."""
    with style():
        figure, (axis,) = panels(height=3.0)
        for name, colour, label in (
            ("reference", ORANGE, "reference: all scores in memory"),
            ("sdpa", BLUE, "flash"),
        ):
            axis.plot(lengths, [1000 * one for one in curves[name]], color=colour, label=label)
        axis.set(title="causal attention, forward", xlabel="length", ylabel="milliseconds", yscale="log")
        log_ticks(axis, lengths)
        axis.legend()
        return figure


def draw_bytes(chips: Sequence[int], counted: Sequence[int], *, tokens: int, width: int) -> "Figure":
    """MiB that cross by KiB on the chip: counted, by the formula, and the two ends between which they lie."""
    n, d = tokens, width
    room = [2 ** (quarter / 4) for quarter in range(8, 41)]  # 4 KiB to 1 MiB
    with style():
        figure, (axis,) = panels(height=3.2)
        axis.axhline(
            4 * standard(n, d) / 2**20, color=ORANGE, label="step by step: scores go out and come back"
        )
        axis.plot(
            room, [4 * crossing(n, d, int(256 * one)) / 2**20 for one in room], color=BLACK, marker="",
            linestyle=":", label="tiled, formula",
        )  # fmt: skip
        found = [4 * one / 2**20 for one in counted]
        axis.plot(chips, found, color=BLUE, linestyle="", label="tiled, counted")
        axis.axhline(4 * 4 * n * d / 2**20, color=GREEN, linewidth=0.9, label="Q, K, V and output once")
        axis.set(xlabel="KiB on the chip", ylabel="MiB that cross", yscale="log")
        log_ticks(axis, chips)
        axis.set(title=f"{n:,} tokens, one head of {d}, float32", xlim=(4, 1100))
        axis.legend(fontsize=9)
        return figure
