"""Layers on graphs small enough for paper: message passing, a GCN's weights, a transformer as a graph."""

from collections.abc import Iterator

import torch

from regard.core.attend import attend
from regard.core.edges import Edges
from regard.core.normalise import Mean, Symmetric
from regard.core.similarity import Constant
from regard.core.support import Causal, Full
from regard.experiments.graphs.graph_algebra.formulas import (
    adjacency,
    counterexample,
    edges,
    middle,
    residual,
)
from regard.lab.events import Event, Metric, TableEvent
from regard.models.attention import MultiHead
from regard.models.graph.aggregate import medians, sums
from regard.models.graph.layers import GraphConvolution, MessagePassing

MEDIAN = (
    "A matrix M would give M(x + y) = Mx + My. For three neighbours with these values the median does not: "
    "no matrix can be the median."
)
NEIGHBOURS = (
    "The mean treats node 1's neighbours alike. A GCN weighs neighbour u by 1/√(d_u d_v), degrees counted "
    "with the self-connection: a neighbour with few neighbours counts more."
)
COST = (
    "First advantage of a GAT over a transformer on a graph: scores grow with the edges, not with the square "
    "of the nodes. Second: the edges say who may look at whom, which a transformer would have to learn."
)


def messages(right: Edges, draw: torch.Generator) -> Iterator[Event]:
    """Equation 6 as messages, as matrices and as a layer; without B a node does not hear itself."""
    h, w, b = (torch.randn(*shape, generator=draw, dtype=torch.float64) for shape in ((6, 3), (4, 3), (4, 3)))
    a = adjacency(right)
    matrices = torch.relu(torch.diag(1 / a.sum(1)) @ a @ h @ w.T + h @ b.T)
    degree = torch.cat([h, a.sum(1, keepdim=True)], 1)
    passing = MessagePassing(
        lambda own, other, features: other[:, :3] / own[:, 3:],
        lambda x, m: torch.relu(m @ w.T + x[:, :3] @ b.T),
        aggregate=sums,
    )
    layer = GraphConvolution(3, 4, normalise=Mean(), bias=False, self_connection=True).double()
    assert layer.own is not None
    with torch.no_grad():
        layer.weight.copy_(w.T)
        layer.own.copy_(b.T)
        gap = max(
            float((form - matrices).abs().max())
            for form in (passing(degree, right), torch.relu(layer(h, right)))
        )
        layer.own.zero_()
        moved = h.clone()
        moved[0] += 1
        alone = float((torch.relu(layer(h, right)) - torch.relu(layer(moved, right)))[0].abs().max())
    yield Metric("equation 6 as messages, as matrices, as a layer: largest gap", gap)
    yield Metric("without B: change of a node's output when its own features change", alone)


def median_of_three(draws: int, draw: torch.Generator) -> Iterator[Event]:
    """What the best matrix misses of a median, and the smallest pair for which no matrix can give it."""
    star = Edges(torch.tensor([1, 2, 3]), torch.tensor([0, 0, 0]), nodes=4)
    x = torch.randn(draws, 3, generator=draw, dtype=torch.float64)
    nodes = torch.cat([torch.zeros(1, draws, dtype=torch.float64), x.T])
    found = MessagePassing(lambda own, other, features: other, lambda x, m: m, aggregate=medians)(
        nodes, star
    )[0]
    yield Metric("share of the median of three that no matrix makes", residual(x, found[:, None]))
    yield Metric("share of the mean of three that no matrix makes", residual(x, x.mean(1, keepdim=True)))
    first, second, gap = counterexample()
    yield Metric("median(x + y) − median(x) − median(y) in the smallest counterexample", gap)
    both = [p + q for p, q in zip(first, second, strict=True)]
    row = (str(first), str(second), middle(first), middle(second), middle(both))
    yield TableEvent("median", ("x", "y", "median of x", "median of y", "median of x + y"), [row], MEDIAN)


def weights(left: Edges) -> Iterator[Event]:
    """How much node 1 takes from each neighbour: by the mean, and by a GCN."""
    h = torch.zeros(1, 1, 5, 1, dtype=torch.float64)
    rows = []
    for name, graph, normalise in (
        ("the mean of equation 6", left, Mean()),
        ("Kipf and Welling's GCN", left.with_loops(), Symmetric()),
    ):
        made = attend(
            h, h, h, similarity=Constant(), support=graph, normalise=normalise, weights=True
        ).weights
        assert made is not None
        near = (graph.target == 0) & (graph.source != 0)
        weights = made[0, 0, near]
        rows += [(name, int(u) + 1, float(w)) for u, w in zip(graph.source[near], weights, strict=True)]
        spread = float(weights.max() - weights.min())
        yield Metric(f"weights of node 1's neighbours, largest less smallest: {name}", spread)
    yield TableEvent("neighbours", ("layer", "neighbour of node 1", "weight"), rows, NEIGHBOURS)


def transformer(draw: torch.Generator) -> Iterator[Event]:
    """A transformer layer as attention on graphs: complete, directed, and a chain."""
    x = torch.randn(1, 9, 12, generator=draw, dtype=torch.float64)
    torch.manual_seed(int(torch.randint(2**31, (), generator=draw)))
    layer = MultiHead(width=12, heads=3).double()
    every = torch.arange(81)
    complete = Edges(every % 9, every // 9, nodes=9)
    earlier = every[every % 9 <= every // 9]
    with torch.no_grad():
        gaps = {
            "a transformer and attention on the complete graph: largest gap": layer(x)
            - layer(x, support=complete),
            "a causal transformer and attention on a directed graph: largest gap": layer(x, support=Causal())
            - layer(x, support=Edges(earlier % 9, earlier // 9, nodes=9)),
        }
        chain = edges(tuple((i, i + 1) for i in range(1, 9)), 9).with_loops()
        moved = float((layer(x, support=chain) - layer(x, support=Full())).abs().max())
    for name, gap in gaps.items():
        yield Metric(name, float(gap.abs().max()))
    yield Metric("the same layer on a chain instead: change of the output", moved)
    sizes = [(n, 9 * n, n * n, n / 9) for n in (100, 1000, 10_000, 100_000)]
    columns = (
        "nodes",
        "scores of a GAT, 8 neighbours and itself",
        "scores of a transformer",
        "times as many",
    )
    yield TableEvent("cost", columns, sizes, COST)
