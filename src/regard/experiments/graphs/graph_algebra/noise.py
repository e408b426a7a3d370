"""Noisy neighbours: nodes of two classes that hear their own kind, and strangers who know nothing."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product
from math import erf, sqrt
from typing import Annotated

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from regard.core.edges import Edges
from regard.core.normalise import Mean
from regard.lab.book.style import BLACK, BLUE, GREEN, ORANGE, panels, plot_means, style
from regard.lab.events import Event, FigureEvent, Metric, PairedMetric
from regard.lab.ranges import Range
from regard.models.graph.layers import GraphAttention, GraphConvolution
from regard.training import PLAIN, TorchOptimiser, Training

WIDTH = 8
"Features that say something of the class; one more says whether a node is a stranger."


Found = dict[tuple[str, bool, int], dict[int, float]]
"""Accuracies by seed, for a layer, marked strangers or not, and how many."""


@dataclass(frozen=True, kw_only=True)
class Noise:
    nodes: int = 240
    "Nodes with a class in each crowd."
    friends: int = 4
    "Neighbours of a node's own class, beside itself."
    strangers: tuple[int, ...] = (0, 8)
    "Noisy neighbours of each node."
    steps: int = 80
    "Steps of training."
    rate: Annotated[float, Range(above=0, high=10)] = 0.05
    "Step size of Adam."
    seeds: int = 12
    "Pairs of crowds, one to learn from and one to be tested on, each for both layers."


@dataclass(frozen=True, kw_only=True)
class Crowd:
    """A graph whose first `nodes` nodes are to be classified; the rest are strangers, and only talk."""

    x: Tensor
    edges: Edges
    labels: Tensor
    strange: Tensor
    "For every edge, whether it comes from a stranger."

    @property
    def nodes(self) -> int:
        """How many nodes have a class."""
        return len(self.labels)


def crowd(*, nodes: int, friends: int, strangers: int, marked: bool, draw: torch.Generator) -> Crowd:
    """Every node hears itself, `friends` nodes of its class and `strangers` strangers.

    A node's features are its class's mean, of length 1, plus standard normal noise. Marked strangers shout:
    noise of three times the size, and a feature that tells them. Unmarked ones look like nodes of a random
    class.
    """
    labels = torch.arange(nodes) % 2
    means = torch.tensor([1.0, -1.0])[:, None] * torch.full((WIDTH,), WIDTH**-0.5)
    own = means[labels] + torch.randn(nodes, WIDTH, generator=draw)
    random_class = means[torch.randint(2, (nodes,), generator=draw)]
    noise = torch.randn(nodes, WIDTH, generator=draw)
    others = 3 * noise if marked else random_class + noise
    x = torch.cat([own, others])
    told = (torch.arange(2 * nodes) >= nodes).float() * marked
    pairs = [
        _chosen(labels == labels[i], i, friends, draw) + _strangers(nodes, strangers, draw) + [i]
        for i in range(nodes)
    ]
    source = torch.tensor([j for row in pairs for j in row])
    target = torch.arange(nodes).repeat_interleave(torch.tensor([len(row) for row in pairs]))
    edges = Edges(source, target, nodes=2 * nodes).sorted
    return Crowd(
        x=torch.cat([x, told[:, None]], 1), edges=edges, labels=labels, strange=edges.source >= nodes
    )


def _chosen(allowed: Tensor, but: int, count: int, draw: torch.Generator) -> list[int]:
    several = allowed.nonzero().flatten()
    several = several[several != but]
    return several[torch.randperm(len(several), generator=draw)[:count]].tolist()


def _strangers(nodes: int, count: int, draw: torch.Generator) -> list[int]:
    return (nodes + torch.randperm(nodes, generator=draw)[:count]).tolist()


def expected(friends: int, strangers: int, *, marked: bool, heard: bool) -> float:
    """The accuracy of the best linear rule on the mean of what a node hears, with strangers or without.

    The mean over k = friends + 1 of the class has signal k; the noise of what is summed has variance k, and
    each stranger adds 9 if marked, 1 + 1 (its class and its noise) if not.
    """
    kind = friends + 1
    spread = kind + (strangers * (9 if marked else 2) if heard else 0)
    return 0.5 + 0.5 * erf(kind / sqrt(spread) / sqrt(2))


class Classifier(nn.Module):
    """One layer over the graph, then a linear map of what each node has heard to the two classes."""

    def __init__(self, layer: nn.Module) -> None:
        super().__init__()
        self.layer, self.out = layer, nn.Linear(WIDTH, 2)

    def forward(self, x: Tensor, edges: Edges) -> Tensor:
        return self.out(self.layer(x, edges))


def convolution() -> Classifier:
    """Equal weights: the mean over everyone heard."""
    return Classifier(GraphConvolution(WIDTH + 1, WIDTH, normalise=Mean()))


def attention() -> Classifier:
    """Attention with one head."""
    return Classifier(GraphAttention(WIDTH + 1, WIDTH, heads=1))


def accuracy(model: nn.Module, taught: Crowd, asked: Crowd, *, steps: int, rate: float) -> float:
    """Train on one crowd, test on another."""

    def loss(model: nn.Module, seen: Crowd) -> Tensor:
        return F.cross_entropy(model(seen.x, seen.edges)[: seen.nodes], seen.labels)

    adam = TorchOptimiser("Adam", {"weight_decay": 1e-3, "fused": True})
    plan = replace(PLAIN, steps=steps, optimiser=adam, learning_rate=rate)
    for _ in Training(model, lambda index: taught, loss, plan):
        pass
    with torch.no_grad():
        said = model(asked.x, asked.edges)[: asked.nodes].argmax(1)
    return (said == asked.labels).double().mean().item()


def heed(layer: nn.Module, asked: Crowd) -> float:
    """The mean share of its attention that a node gives to strangers."""
    with torch.no_grad():
        _, weights = layer(asked.x, asked.edges, weights=True)
    return float(weights[:, asked.strange].sum() / (len(weights) * asked.nodes))


def study(noise: Noise, seed: int) -> Iterator[Event]:
    """Both layers on the same crowds: with more and more marked strangers, then with unmarked ones."""
    found: Found = {}
    last = noise.strangers[-1]
    cases = [(True, count) for count in noise.strangers] + [(False, last)]
    for run, (marked, count) in product(range(noise.seeds), cases):
        number = 1000 * seed + run
        draws = [torch.Generator().manual_seed(2 * number + part) for part in (0, 1)]
        same = {"nodes": noise.nodes, "friends": noise.friends, "strangers": count, "marked": marked}
        crowds = [crowd(**same, draw=draw) for draw in draws]
        for name, make in (("convolution", convolution), ("attention", attention)):
            torch.manual_seed(number)
            model = make()
            score = accuracy(model, *crowds, steps=noise.steps, rate=noise.rate)
            found.setdefault((name, marked, count), {})[run] = score
            yield Metric("accuracy", score, run, {"layer": name, "strangers": count, "marked": marked})
            if name == "attention" and count == last:
                kind = "marked" if marked else "unmarked"
                yield Metric(f"attention paid to {kind} strangers", heed(model.layer, crowds[1]), run)
    for marked, kind in ((True, "marked"), (False, "unmarked")):
        pair = found["attention", marked, last], found["convolution", marked, last]
        yield PairedMetric(
            f"{kind} strangers: attention less convolution", ("attention", "convolution"), *pair
        )
    yield FigureEvent("noise", _noisy(noise, found), CAPTION)


def _noisy(noise: Noise, found: Found):
    with style():
        figure, (axis,) = panels(1, width=6.2, height=3.4)
        last = noise.strangers[-1]
        for name, colour, aside in (("convolution", ORANGE, -0.12), ("attention", BLUE, 0.12)):
            points = [list(found[name, True, count].values()) for count in noise.strangers]
            look = {"color": colour, "linestyle": "", "markersize": 7}
            plot_means(axis, noise.strangers, points, **look, label=f"{name}, marked")
            other = list(found[name, False, last].values())
            look |= {"marker": "D", "markerfacecolor": "white"}
            plot_means(axis, [last + aside], [other], **look, label=f"{name}, unmarked")
        counts = range(last + 1)
        for heard, dash, label in (
            (True, ":", "best rule that hears all"),
            (False, "--", "best rule that ignores strangers"),
        ):
            best = [expected(noise.friends, c, marked=True, heard=heard) for c in counts]
            colour = BLACK if heard else GREEN
            axis.plot(counts, best, color=colour, linestyle=dash, marker="", label=label)
        axis.set(
            xlabel=f"strangers among the neighbours (beside {noise.friends} friends)",
            ylabel="accuracy on new nodes",
            ylim=(0.5, 1.02),
        )
        axis.legend(loc="lower left", fontsize=8)
        return figure


CAPTION = (
    "Every node hears itself, a few of its class, and strangers. Marked strangers shout (three times the "
    "noise) and can be told by a feature: a layer that ignores them can reach the green line, one that hears everyone "
    "alike no more than the dotted one. Unmarked strangers (open diamonds) look like anybody: look whether attention and "
    "equal weights differ there. Bars: smallest and largest seed."
)
