"""Pictures of composers told apart: who is taken for whom, and what attention looks at in a scrap."""

from itertools import product

import torch
from torch import Tensor

from regard.core.edges import Edges
from regard.data.formats.notes import TICKS
from regard.data.sets.music import COMPOSERS, Scrap
from regard.experiments.graphs.composers.score_graph import RELATIONS
from regard.lab.book.style import BLUE, GREEN, ORANGE, PURPLE, SKY, panels, show_image, style
from regard.shapes import Float, Int

EDGE_COLOURS = (SKY, PURPLE, GREEN, ORANGE, BLUE)


def draw_confusion(counts: Int[Tensor, "k k"]):
    """Who is taken for whom, in per cent of each composer's scraps."""
    shares = 100 * counts / counts.sum(1, keepdim=True).clamp(min=1)
    with style():
        figure, (axis,) = panels(width=5.6, height=4.6)
        show_image(axis, shares, vmin=0, vmax=100)
        axis.grid(False)
        places = range(len(COMPOSERS))
        for row, column in product(places, places):
            share = float(shares[row, column])
            shade = "white" if share < 50 else "black"
            axis.text(column, row, f"{share:.0f}", ha="center", va="center", color=shade)
        axis.set(xlabel="answer", ylabel="composer")
        axis.set_xticks(places, COMPOSERS, rotation=30, ha="right")
        axis.set_yticks(places, [f"{one} ({n:g})" for one, n in zip(COMPOSERS, counts.sum(1), strict=True)])
        return figure


def draw_roll(scrap: Scrap, edges: Edges, weights: Float[Tensor, " e"], strongest: int = 30):
    """Notes as bars, dark ones little regarded and bright ones much; arrows are edges of large weight.

    An edge counts by how much its weight exceeds an equal share: w · (edges of its relation to the note) - 1.
    """
    assert edges.relation is not None, "scraps have relations"
    notes, places = scrap.notes, edges.target * len(RELATIONS) + edges.relation
    number = torch.bincount(places, minlength=len(notes) * len(RELATIONS))[places]
    above = torch.where(number > 1, weights * number - 1, torch.tensor(-1.0))
    regarded = torch.zeros(len(notes)).index_add(0, edges.source, weights)
    begin, beat = notes.onset.min(), float(TICKS)
    with style():
        from matplotlib import colormaps
        from matplotlib.lines import Line2D

        figure, (axis,) = panels(width=8.2, height=4.2)
        shade = colormaps["cividis"](0.15 + 0.85 * (regarded / regarded.max()).numpy())
        left = ((notes.onset - begin) / beat).tolist()
        width = (notes.length / beat).tolist()
        look = {"color": shade, "edgecolor": "#555555", "linewidth": 0.5}
        axis.barh(notes.pitch.tolist(), [0.94 * one for one in width], 0.8, left, **look)
        drawn = set()
        for edge in above.topk(min(strongest, len(above))).indices.tolist():
            first, second, kind = (int(one[edge]) for one in (edges.source, edges.target, edges.relation))
            drawn.add(kind)
            start, end = ((left[note] + 0.1, int(notes.pitch[note])) for note in (first, second))
            arrow = {"arrowstyle": "->", "color": EDGE_COLOURS[kind], "linewidth": 1.3}
            axis.annotate("", end, start, arrowprops={**arrow, "shrinkA": 1, "shrinkB": 1})
        handles = [Line2D([], [], color=EDGE_COLOURS[kind], label=RELATIONS[kind]) for kind in sorted(drawn)]
        figure.legend(handles=handles, loc="outside lower center", ncols=5)
        axis.set(
            title=f"{scrap.composer}, {scrap.work}",
            xlabel="quarter notes from the start of the scrap",
            ylabel="pitch (60 is the middle C)",
        )
        return figure
