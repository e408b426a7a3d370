"""One style for every figure: vector, colour-blind safe, readable in print and on a phone."""

import io
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from regard.errors import RegardError
from regard.lab.statistics import difference

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.image import AxesImage
    from torch import Tensor

# Okabe and Ito's eight colours (2008), told apart under the common deficiencies of vision; black is theory.
BLUE, ORANGE, GREEN, RED, SKY, PURPLE, YELLOW, BLACK = (
    "#0072B2", "#E69F00", "#009E73", "#D55E00", "#56B4E9", "#CC79A7", "#F0E442", "#000000",
)  # fmt: skip
PALETTE = (BLUE, ORANGE, GREEN, RED, SKY, PURPLE)
MARKERS = ("o", "s", "^", "D", "v", "P")
ORDERED = "cividis"
SIGNED = "PuOr"
DENSE, FEW = 1000, 50
"A figure of more marks than this has them as pixels, but for groups of a few: paths are heavy to send."
SECONDS = 1.2
"How long a film shows each frame; the last one stands twice as long."

STYLE: Any = {
    "font.size": 10.5,
    "font.family": "sans-serif",
    "axes.titlesize": 11,
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": "#555555",
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#e4e4e4",
    "grid.linewidth": 0.7,
    "lines.linewidth": 1.7,
    "lines.markersize": 5,
    "legend.frameon": False,
    "legend.fontsize": 9.5,
    "image.cmap": ORDERED,
    "image.interpolation": "nearest",
    "savefig.bbox": "tight",
    "savefig.dpi": 80,
    "svg.hashsalt": "regard",
    "svg.fonttype": "path",
}


@contextmanager
def style() -> Iterator[None]:
    """The project's look, for what is drawn inside."""
    import matplotlib

    with matplotlib.rc_context({"backend": "svg"}):
        from cycler import cycler

        lines = cycler(color=PALETTE) + cycler(marker=MARKERS)
        with matplotlib.rc_context({**STYLE, "axes.prop_cycle": lines}):
            yield


def panels(
    columns: int = 1, rows: int = 1, *, width: float = 0.0, height: float = 3.0
) -> "tuple[Figure, list[Axes]]":
    """A figure and its panels, row by row; call it inside `style`."""
    from matplotlib.figure import Figure

    size = (width or (5.6 if columns == 1 else 3.5 * columns), height * rows)
    figure = Figure(figsize=size, layout="constrained")
    grid = figure.subplots(rows, columns, squeeze=False)
    return figure, list(grid.flat)


def plot_runs(axis: "Axes", x: Any, runs: "Iterable[Any]", **look: Any) -> None:
    """A curve with its spread over seeds: the mean of the runs, and each run as a thin line behind it."""
    values = np.stack([np.asarray(run, float) for run in runs])
    (mean,) = axis.plot(x, values.mean(0), **look)
    thin: Any = {"color": mean.get_color(), "linestyle": mean.get_linestyle(), "marker": ""}
    if len(values) > 1:
        axis.plot(x, values.T, **thin, linewidth=0.6, alpha=0.5, zorder=1.9)


def plot_means(axis: "Axes", x: Any, samples: "Iterable[Any]", **look: Any) -> None:
    """Error bars: at each x the mean of its values, with a whisker from the smallest to the largest."""
    found = [np.asarray(values, float) for values in samples]
    low, mean, high = np.array([(one.min(), one.mean(), one.max()) for one in found]).T
    # The mean of equal values may differ from them by rounding, and no whisker has a negative length.
    ends = np.stack([mean - low, high - mean]).clip(min=0.0)
    axis.errorbar(x, mean, yerr=ends, capsize=2, **look)


def show_image(axis: "Axes", values: "Tensor", title: str = "", **look: Any) -> "AxesImage":
    """A heat map of a matrix, or a picture whose first axis holds three colours, without ticks."""
    image = axis.imshow((values.permute(1, 2, 0) if values.ndim == 3 else values).numpy(), **look)
    axis.set(xticks=[], yticks=[])
    axis.set_title(title, fontsize=9)
    return image


def mark_height(
    axis: "Axes", y: float, note: str = "", *, colour: str = BLACK, at: float = 0.0, above: float = 3.0
) -> None:
    """A dotted reference line across; its note begins at a share `at` of the width, some points above."""
    axis.axhline(y, color=colour, linewidth=0.8, linestyle=":")
    if note:
        place = {"xycoords": axis.get_yaxis_transform(), "textcoords": "offset points"}
        axis.annotate(note, (at, y), (4, above), **place, color=colour, fontsize=9)


def mark_place(axis: "Axes", x: float, note: str = "", *, colour: str = BLACK, at: float = 1.0) -> None:
    """A dotted reference line upwards; its note hangs to the right of it at a share `at` of the height."""
    axis.axvline(x, color=colour, linewidth=0.8, linestyle=":")
    if note:
        place = {"xycoords": axis.get_xaxis_transform(), "textcoords": "offset points"}
        axis.annotate(note, (x, at), (4, -10), **place, color=colour, fontsize=9)


def log_ticks(axis: "Axes", values: Sequence[float], **look: Any) -> None:
    """A logarithmic axis of x whose ticks are the values that were measured, as plain numbers."""
    axis.set_xscale("log")
    axis.minorticks_off()
    axis.set_xticks(values, [f"{one:g}" for one in values], **look)


def film(frames: "Sequence[Figure]") -> "Figure":
    """A figure that shows frames of one size in turn; in print, or where nothing may move, the last alone."""
    from matplotlib.figure import Figure

    sizes = {tuple(one.get_size_inches().tolist()) for one in frames}
    if len(sizes) != 1:
        raise RegardError(
            "a film needs frames, all of one size",
            f"{len(frames)} frames, sizes {sorted(sizes)}",
            "draw them alike",
        )

    class Film(Figure):
        def savefig(self, fname: Any, **options: Any) -> None:
            # Cut tight, each frame would have a margin of its own, and the film would tremble.
            fname.write(_moving([_svg(one, bbox_inches=one.bbox_inches.padded(0.1)) for one in frames]))

    return Film(figsize=sizes.pop())


def draw_changes(
    whole: Mapping[int, float], changed: Mapping[str, Mapping[int, float]], label: str
) -> "Figure":
    """What each change does to a measure, pair by pair, with the mean and its interval."""
    with style():
        figure, (axis,) = panels(width=6.6, height=0.45 * len(changed) + 1.3)
        for row, values in enumerate(changed.values()):
            found = difference(values, {pair: whole[pair] for pair in values})
            apart = [values[pair] - whole[pair] for pair in values]
            axis.plot(apart, [row] * len(values), "o", color="#bbbbbb", markersize=4)
            axis.plot([found.low, found.high], [row, row], "-", color=BLUE, linewidth=2.5, marker="")
            axis.plot([found.mean], [row], "D", color=BLUE)
        axis.axvline(0.0, color=BLACK, linewidth=1.0)
        axis.set(yticks=range(len(changed)), yticklabels=list(changed), xlabel=label)
        axis.set_ylim(len(changed) - 0.5, -0.5)
        return figure


def picture(figure: "Figure") -> bytes:
    """The figure as SVG, the same bytes for the same figure."""
    return _svg(figure).encode()


def _svg(figure: "Figure", **options: Any) -> str:
    buffer = io.StringIO()
    _flatten(figure)
    with style():
        figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None}, **options)
    text = buffer.getvalue()
    return text[text.index("<svg") :]


def _flatten(figure: "Figure") -> None:
    """Give a figure of very many marks these marks as pixels; its axes and letters stay vectors.

    Pixels are not smoothed: each has a colour of the plot, which is sharp to see and short to write.
    """
    artists: list[Any] = [one for axis in figure.axes for one in (*axis.lines, *axis.collections)]
    counts = {one: _marks(one) for one in artists}
    for one in artists:
        if sum(counts.values()) > DENSE and counts[one] > FEW:
            one.set_rasterized(True)
        if one.get_rasterized():
            one.set_antialiased(False)
            if hasattr(one, "get_offsets") and len(one.get_facecolor()) == 1:
                # Marks of a single colour go another way through matplotlib, which always smooths them.
                one.set_facecolor(np.repeat(one.get_facecolor(), 2, axis=0))


def _marks(artist: Any) -> int:
    """How many marks an artist draws: the points of a line with markers, or of a scatter."""
    if hasattr(artist, "get_marker"):
        return 0 if artist.get_marker() in ("", "None", None) else len(artist.get_xdata())
    return len(artist.get_offsets()) if type(artist).__name__ == "PathCollection" else 0


def _moving(frames: Sequence[str]) -> str:
    """One SVG of many: only the last is visible by itself, and CSS shows each in its share of the time."""
    count = len(frames)
    # Two films of one page share its styles: the same names, made of the number of frames, mean the same.
    names = [f"film-{count}-{number}" for number in range(count)]
    ends = [f"{100 * number / (count + 1):.6g}%" for number in range(count)] + ["100%"]
    rules = [
        f".{name} {{ animation: {name} {SECONDS * (count + 1):g}s step-end infinite; }} "
        f"@keyframes {name} {{ 0% {{ visibility: hidden; }} {begin} {{ visibility: visible; }} "
        f"{end} {{ visibility: hidden; }} }}"
        for name, begin, end in zip(names, ends[:-1], ends[1:], strict=True)
    ]
    screen = "@media screen and (prefers-reduced-motion: no-preference)"
    seen = ["hidden"] * (count - 1) + ["visible"]
    layers = [
        f'<g class="{name}" visibility="{state}">{_inside(inline(frame, name))}</g>'
        for name, state, frame in zip(names, seen, frames, strict=True)
    ]
    head = frames[0][: frames[0].index(">") + 1]
    return "\n".join([head, f"<style>{screen} {{", *rules, "}</style>", *layers, "</svg>"])


def _inside(svg: str) -> str:
    return svg[svg.index(">") + 1 : svg.rindex("</svg>")]


def inline(svg: str, name: str) -> str:
    """An SVG that can stand in a page beside others: its ids carry the name, its size follows the page."""
    svg = re.sub(r'\bid="([^"]+)"', rf'id="{name}-\1"', svg)
    svg = re.sub(r'(xlink:href|href)="#([^"]+)"', rf'\1="#{name}-\2"', svg)
    svg = re.sub(r"url\(#([^)]+)\)", rf"url(#{name}-\1)", svg)
    return re.sub(
        r'<svg\b([^>]*?) width="[^"]*"',
        r"<svg\1",
        re.sub(r'<svg\b([^>]*?) height="[^"]*"', r"<svg\1", svg, count=1),
        count=1,
    )
