"""The figures of the experiment `graph-algebra`, and what to see in them."""

from typing import TYPE_CHECKING

import torch
from torch import Tensor

from regard.experiments.graphs.graph_algebra.formulas import LEFT, RIGHT
from regard.lab.book.style import BLACK, BLUE, ORANGE, RED, panels, style

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PLACES = {
    "left": ((0.0, 0.0), (1.0, 0.9), (2.0, 0.0), (3.0, 0.0), (-1.0, 0.0)),
    "right": ((0.0, 0.0), (1.0, 0.0), (2.0, 0.9), (3.0, 0.9), (2.2, -0.5), (3.6, -0.3)),
}
"Where the nodes stand."
GRAPHS = (
    "The two graphs of Amsterdam A2. On the right the area of a node is the mean square of its change under the "
    "Laplacian for random features; in theory it is d(d + 1) for a node of degree d, largest for the three of degree 3 (orange)."
)
SMOOTHING = (
    "Equation 6 without its nonlinearity, {depth} layers deep, on {graph}; "
    "W = I/(1 + β), B = βI/(1 + β). In theory distances from the common value shrink by a constant factor "
    "per layer, the largest |β + λ|/(1 + β) over the eigenvalues λ ≠ 1 of D⁻¹A (dotted). The steeper a line, the sooner all "
    "nodes are alike; a self-connection that stopped the smoothing would give a level line."
)


def draw_graphs(change: Tensor) -> "Figure":
    """The two graphs; on the right a node's area is how much it changes."""
    with style():
        figure, axes = panels(2, width=8.0, height=2.7)
        for axis, name, pairs in zip(axes, PLACES, (LEFT, RIGHT), strict=True):
            spots = torch.tensor(PLACES[name])
            ends = torch.tensor(pairs).T - 1
            axis.plot(spots[ends, 0], spots[ends, 1], color="#999999", marker="", linewidth=1.0, zorder=1)
            sizes = torch.full((len(spots),), 320.0) if name == "left" else 60 * change
            top = (
                [node in (1, 3, 4) for node in range(len(spots))] if name == "right" else [False] * len(spots)
            )
            axis.scatter(*spots.T, s=sizes, color=[ORANGE if one else BLUE for one in top], zorder=2)
            for node, (x, y) in enumerate(spots.tolist()):
                axis.annotate(
                    str(node + 1), (x, y), ha="center", va="center", color="white", fontsize=10, zorder=3
                )
            axis.set(title=f"the {name} graph", xticks=[], yticks=[])
            axis.margins(0.18, 0.35)
            axis.grid(False)
        return figure


def draw_curves(curves: dict[float, list[float]], rates: dict[float, float]) -> "Figure":
    """Distances from the common value by layer, and how they must go on by the rates."""
    with style():
        figure, (axis,) = panels(1, width=5.8, height=3.4)
        for (own, found), colour in zip(curves.items(), (RED, ORANGE, BLUE), strict=True):
            label = "no self-connection" if own == 0 else f"B = {own:g}·I"
            axis.plot([one / found[0] for one in found], color=colour, marker="", label=label)
            # Theory starts where the slowest difference is all that is left.
            start = len(found) // 2
            theory = [found[start] / found[0] * rates[own] ** (i - start) for i in range(start, len(found))]
            axis.plot(range(start, len(found)), theory, color=BLACK, linestyle=":", marker="", linewidth=1.4)
        axis.plot([], [], color=BLACK, linestyle=":", marker="", label="predicted by the eigenvalues")
        axis.set(xlabel="layer", ylabel="distance from the common value", yscale="log")
        axis.legend(loc="lower left")
        return figure
