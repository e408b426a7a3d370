"""The figures of the experiment `decoding`, and what to see in them."""

from collections.abc import Mapping, Sequence
from itertools import product
from typing import TYPE_CHECKING

from torch import Tensor

from regard.experiments.text.decoding.beams import AFTER, WORDS, formula
from regard.generation.beam import Beam, Search
from regard.lab.book.style import BLACK, BLUE, GREEN, ORANGE, RED, log_ticks, panels, style

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TREE = (
    "Boxes are beginnings with their log-probabilities, the sums along their paths. Blue: what the beam of "
    "two holds after each step. Dotted: dropped, or never looked at. Red: the most probable text of three "
    "words. If a part of the red path is dotted, the beam lost that text there."
)
SEARCH = (
    "Left: how much log-probability the best text of a beam lacks, on average over random models, against "
    "all texts tried one by one; a width of 1 is greedy search. Right: how often the beam finds the best "
    "text; dotted, in how many models every beginning of the best text is among the `width` most probable of its "
    "length. By the theorem the curve should not be below the dotted one; where it is above, beginnings that ranked "
    "before the best one's were themselves dropped earlier."
)
DRAWS = "Bars: the share of draws of each token. Marks: the exact probability that the sampler gives it."
COST = (
    "Left: comparisons of Berkeley HW6's algorithm (sort the words after each beam, then the best of all "
    "beams), counted, against its formula, as the vocabulary M, the width K and the length T are varied one "
    "at a time around M = 256, K = 4, T = 3. Right: what our beam search, which selects the largest in place of sorting, "
    "takes on the same words, on the machine of this run."
)
Case = tuple[int, int, int]
"A vocabulary, a width of the beam and a length."


def draw_tree(found: Search, best: Beam) -> "Figure":
    """Every beginning on Berkeley HW6's tree: what the beam kept, what it dropped, and the best text."""
    states = {node.ids: node.state for node in found.tree()} | {(): "kept"}
    place: dict[tuple[int, ...], tuple[float, float]] = {(): (0.0, 3.5)}
    for length in (1, 2, 3):
        for index, ids in enumerate(product((0, 1), repeat=length)):
            place[ids] = (float(length), 7 - (index + 0.5) * 8 / 2**length + 0.5)
    with style():
        figure, (axis,) = panels(width=7.4, height=4.0)
        for ids, (x, y) in place.items():
            on_best, kept = best.ids[: len(ids)] == ids, states.get(ids) == "kept"
            colour = BLUE if kept else "#999999"
            if ids:
                before = place[ids[:-1]]
                axis.plot(
                    (before[0], x), (before[1], y), marker="", color=RED if on_best else colour,
                    linestyle="-" if kept else ":", linewidth=1.8 if kept or on_best else 1.0, zorder=1,
                )  # fmt: skip
                total = sum(AFTER[ids[:end]][ids[end]] for end in range(len(ids)))
                label = f"{WORDS[ids[-1]]}  {total:.2f}".replace("-", "−")
            else:
                label = "start"
            axis.text(
                x, y, label, ha="center", va="center", fontsize=9.5, color=colour if not on_best else RED,
                bbox={"boxstyle": "round,pad=0.25", "facecolor": "white", "edgecolor": colour}, zorder=2,
            )  # fmt: skip
        axis.set(xlim=(-0.3, 3.5), ylim=(-0.3, 7.8), xticks=range(4), yticks=[], xlabel="words so far")
        axis.set_title("a beam of two on Berkeley HW6's tree")
        axis.grid(False)
        axis.spines["left"].set_visible(False)
        return figure


def draw_searches(
    gaps: Mapping[int, Sequence[float]], found_it: Mapping[int, float], ranks: Sequence[int]
) -> "Figure":
    """By width of the beam, what its text lacks and how often it is the best; `ranks`: one for each model."""
    widths = list(gaps)
    with style():
        figure, (left, right) = panels(2, width=7.6, height=3.2)
        means = [sum(each) / len(each) for each in gaps.values()]
        left.plot(widths, means, color=BLUE)
        right.plot(widths, list(found_it.values()), color=BLUE, label="the beam finds the best")
        below = [sum(rank <= width for rank in ranks) / len(ranks) for width in widths]
        theory = "no beginning of the best ranks worse"
        right.plot(widths, below, color=BLACK, marker="", linestyle=":", label=theory)
        for axis, title, top in (
            (left, "log-probability short of the best", None),
            (right, "share of models", 1.05),
        ):
            axis.set(title=title, xlabel="width of the beam", ylim=(0, top))
            log_ticks(axis, widths)
        right.legend(loc="lower right")
        return figure


def draw_samplers(pictures: Mapping[str, tuple[Tensor, Tensor]]) -> "Figure":
    """The exact probabilities of four samplers and the shares of what they drew."""
    shown = ("plain", "temperature 0.5", "top-k 5", "top-p 0.9")
    order = pictures["plain"][0].argsort(descending=True)
    places = range(len(order))
    with style():
        figure, axes = panels(2, 2, width=7.6, height=2.4)
        for axis, name in zip(axes, shown, strict=True):
            exact, drawn = (part[order].tolist() for part in pictures[name])
            axis.bar(places, drawn, color=ORANGE, label="drawn")
            axis.plot(places, exact, color=BLACK, marker="_", markersize=7, linestyle="", label="exact")
            axis.set_title(name)
        for axis in axes[2:]:
            axis.set_xlabel("token, the most probable first")
        for axis in axes[::2]:
            axis.set_ylabel("probability")
        axes[0].legend()
        return figure


def draw_costs(
    counts: Mapping[Case, int],
    times: Mapping[Case, float],
    *,
    sizes: Sequence[int],
    beams: Sequence[int],
    lengths: Sequence[int],
) -> "Figure":
    """Comparisons against the formula where one size is varied at a time, and our time by vocabulary."""
    middle = sizes[1]
    varied = {
        f"M from {sizes[0]} to {sizes[-1]}": [(size, 4, 3) for size in sizes],
        f"K from {beams[0]} to {beams[-1]}": [(middle, width, 3) for width in beams],
        f"T from {lengths[0]} to {lengths[-1]}": [(middle, 4, one) for one in lengths],
    }
    with style():
        figure, (left, right) = panels(2, width=7.6, height=3.4)
        for name, cases in varied.items():
            expected = [formula(width, steps, size) for size, width, steps in cases]
            left.plot(expected, [counts[case] for case in cases], linestyle="", markersize=6, label=name)
        ends = [min(counts.values()), max(counts.values()) / 0.8]
        left.plot(ends, ends, color=BLACK, marker="", linestyle=":", label="equal")
        left.set(
            xscale="log", yscale="log", xlabel="T (K M log₂ M + K² log₂ K²)", title="comparisons counted"
        )
        left.legend()
        milliseconds = [1e3 * times[size, 4, 3] for size in sizes]
        right.plot(range(len(sizes)), milliseconds, color=GREEN)
        right.set(
            xlabel="vocabulary M", title="our milliseconds a step, K = 4", ylim=(0, 1.15 * max(milliseconds)),
            xticks=range(len(sizes)), xticklabels=sizes,
        )  # fmt: skip
        return figure
