"""Pictures of networks over graphs: their accuracies, their attention, their embedding, their differences."""

from collections.abc import Mapping
from itertools import cycle
from statistics import mean
from typing import TYPE_CHECKING, Any

import torch
import torch.nn.functional as F
from torch import Tensor

from regard.core.edges import Edges
from regard.experiments.graphs.cora.nodes import NodeTask, Trained, shares_of
from regard.lab.book.style import BLACK, BLUE, GREEN, ORANGE, PALETTE, panels, style
from regard.models.graph.layers import GAT
from regard.shapes import Float

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COLOURS = (*PALETTE, "#888888")
SHORT = 200
"The epochs of GCN's paper, and of many re-implementations of GAT."


def entropies(weights: Float[Tensor, "h e"], edges: Edges) -> tuple[Float[Tensor, " n"], Float[Tensor, " n"]]:
    """The entropy of each node's weights, averaged over heads, and that of equal weights, log(their number).

    >>> star = Edges(torch.tensor([0, 1, 2]), torch.tensor([0, 0, 0]), nodes=3)
    >>> own, equal = entropies(torch.tensor([[0.5, 0.5, 0.0]]), star)
    >>> round(own[0].exp().item(), 4), round(equal[0].exp().item(), 4)
    (2.0, 3.0)
    """
    terms = torch.special.entr(weights).mean(0)
    own = torch.zeros(edges.sizes[0]).index_add(0, edges.target, terms)
    return own, edges.targets.count.clamp(min=1).float().log()


def agreement(task: NodeTask) -> Tensor:
    """The share of each node's neighbours, itself left out, that are of its class."""
    others = task.edges.source != task.edges.target
    source, target = task.edges.source[others], task.edges.target[others]
    same = (task.labels[source] == task.labels[target]).float()
    count = torch.bincount(target, minlength=task.network.nodes)
    return torch.zeros(task.network.nodes).index_add(0, target, same) / count.clamp(min=1)


def draw_seeds(found: Mapping[str, Mapping[int, Trained]], *, published: bool = True) -> "Figure":
    """The test accuracy of every training, at its lowest validation loss and early, beside the papers' on Cora."""
    with style():
        figure, (axis,) = panels(width=6.4, height=3.2)
        for row, (name, paper, colour) in enumerate(
            (("GCN", (81.0, 82.0), BLUE), ("GAT", (82.3, 83.7), ORANGE))
        ):
            if published:
                axis.fill_betweenx([row - 0.38, row + 0.38], *paper, color="#dddddd", linewidth=0)
            runs = found[name].values()
            for offset, values, marker, label in (
                (0.16, [one.test for one in runs], "o", "lowest validation loss"),
                (-0.16, [one.after(SHORT) for one in runs], "x", f"after {SHORT} epochs"),
            ):
                spots = torch.linspace(-0.1, 0.1, len(values)) + row + offset
                axis.plot(values, spots, marker, color=colour, label=f"{name}, {label}")
                ends = [row + offset - 0.13, row + offset + 0.13]
                axis.plot([mean(values)] * 2, ends, "-", color=BLACK, linewidth=1.4)
        axis.set(xlabel="test accuracy, %", yticks=[0, 1], yticklabels=["GCN", "GAT"], ylim=(-0.6, 1.6))
        axis.legend(loc="upper center", bbox_to_anchor=(0.5, -0.22), ncols=2)
        return figure


def draw_neighbours(task: NodeTask, found: Mapping[str, Mapping[int, Trained]]) -> "Figure":
    """By the share of a paper's neighbours in its own field: who is right, and where the two differ."""
    share = agreement(task)[task.test]
    bins = torch.tensor([0.0, 0.2, 0.4, 0.6, 0.8, 0.999, 1.01])
    places = torch.bucketize(share, bins[1:], right=True)
    names = ["0–20", "20–40", "40–60", "60–80", "80–99", "all"]
    with style():
        figure, (left, right) = panels(2, width=8.0, height=3.2)
        for shift, (name, colour) in enumerate((("GCN", BLUE), ("GAT", ORANGE))):
            right_share = torch.stack([
                (one.answers(task.test) == task.labels[task.test]).float() for one in found[name].values()
            ]).mean(0)  # fmt: skip
            heights = [100 * right_share[places == place].mean().item() for place in range(len(names))]
            spots = [place - 0.2 + 0.4 * shift for place in range(len(names))]
            left.bar(spots, heights, 0.4, color=colour, label=name)
        apart = torch.stack([
            (found["GCN"][seed].answers(task.test) != found["GAT"][seed].answers(task.test)).float()
            for seed in found["GCN"]
        ]).mean(0)  # fmt: skip
        heights = [100 * apart[places == place].mean().item() for place in range(len(names))]
        right.bar(range(len(names)), heights, 0.6, color=GREEN)
        counts = torch.bincount(places, minlength=len(names)).tolist()
        labels = [f"{name}\n({count})" for name, count in zip(names, counts, strict=True)]
        left.set(title="accuracy", ylabel="%")
        right.set(title="GCN and GAT disagree", ylabel=task.say("% of {papers}"))
        across = task.say("neighbours in the {paper}'s own {field}, % ({papers})")
        for axis in (left, right):
            axis.set(xticks=range(len(names)), xlabel=across)
            axis.set_xticklabels(labels, fontsize=8.5)
        left.legend(loc="upper left")
        return figure


def draw_entropy(pictured: Mapping[str, tuple[Tensor, Tensor]]) -> "Figure":
    """How far the entropy of attention lies below that of equal weights, against the number of neighbours."""
    with style():
        figure, axes = panels(2, width=7.6, height=3.2)
        for axis, (name, (own, uniform)) in zip(axes, pictured.items(), strict=True):
            several = uniform > 0
            short = 100 * (1 - own[several] / uniform[several]).clamp(min=1e-6)
            look: Any = {"color": BLUE, "alpha": 0.3, "markersize": 5, "markeredgewidth": 0}
            axis.plot(uniform[several].exp(), short, ".", **look)
            axis.axhline(float(short.median()), color=BLACK, linewidth=1.0)
            axis.set(title=f"{name} layer", xscale="log", yscale="log", ylim=(5e-5, 100))
            axis.set(xlabel="neighbours, oneself included", ylabel="entropy below equal weights, %")
        return figure


def draw_embedding(task: NodeTask, one: Trained) -> "Figure":
    """Papers along the two main directions of their words, and of what the hidden layer makes of them."""
    assert isinstance(one.model, GAT)
    with torch.no_grad():
        hidden = one.model.embedding(task.features[True], task.edges)
    words = shares_of(task.network.features)
    # Two directions are drawn: a single number beside nothing.
    words = F.pad(words, (0, max(0, 2 - words.shape[1])))
    with style():
        figure, axes = panels(2, width=8.2, height=4.0)
        for axis, x, title in zip(
            axes, (words, hidden), (task.say("the {words} alone"), "hidden layer of GAT"), strict=True
        ):
            unit = x / x.norm(dim=1, keepdim=True).clamp(min=1e-9)
            centred = unit - unit.mean(0)
            _, _, directions = torch.pca_lowrank(centred, q=2, center=False)
            places = centred @ directions
            for label, (name, colour) in enumerate(zip(task.network.classes, cycle(COLOURS), strict=False)):
                mine = task.labels == label
                look: Any = {"color": colour, "alpha": 0.55, "markersize": 4, "markeredgewidth": 0}
                axis.plot(*places[mine].T, ".", **look, label=name.replace("_", " "))
            axis.set(title=title, xticks=[], yticks=[], xlabel="first principal direction", ylabel="second")
        legend = figure.legend(
            *axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=4, markerscale=2.5
        )
        for handle in filter(None, legend.legend_handles):
            handle.set_alpha(1.0)
        return figure
