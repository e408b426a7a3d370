"""Adjacency, walks and Laplacians of small graphs, and what repeated averaging does to them."""

from collections.abc import Sequence
from itertools import pairwise, product
from pathlib import Path

import torch
from torch import Tensor

from regard.core.edges import Edges
from regard.core.normalise import Mean
from regard.data.sets.network import read_network
from regard.errors import RegardError
from regard.models.graph.aggregate import medians
from regard.models.graph.layers import GraphConvolution

LEFT = ((1, 2), (1, 3), (1, 5), (2, 3), (3, 4))
MOST = 2000
"Nodes that a graph of one's own may have: its eigenvalues are computed."
RIGHT = ((1, 2), (2, 3), (2, 5), (3, 4), (4, 5), (4, 6), (5, 6))


def edges(pairs: tuple[tuple[int, int], ...], nodes: int) -> Edges:
    """An undirected graph whose nodes are numbered from 1, as Amsterdam A2 has it."""
    source, target = (torch.tensor(ends) - 1 for ends in zip(*pairs, strict=True))
    return Edges(source, target, nodes=nodes).both_ways()


def adjacency(graph: Edges) -> Tensor:
    """A_uv = 1 where u and v are joined, else 0."""
    a = torch.zeros(graph.sizes, dtype=torch.float64)
    a[graph.target, graph.source] = 1
    return a


def laplacian(a: Tensor) -> Tensor:
    """D − A, with D the diagonal matrix of degrees."""
    return a.sum(1).diag() - a


def walks(a: Tensor, length: int) -> tuple[Tensor, Tensor]:
    """How many walks and how many paths of the length there are, one by one; a path meets no node twice."""
    n = len(a)
    counts = torch.zeros(2, n, n, dtype=torch.float64)
    for walk in product(range(n), repeat=length + 1):
        if all(a[u, v] for u, v in pairwise(walk)):
            counts[0, walk[0], walk[-1]] += 1
            counts[1, walk[0], walk[-1]] += len(set(walk)) == len(walk)
    return counts[0], counts[1]


def residual(x: Tensor, y: Tensor) -> float:
    """The share of the variance of y that no matrix can make of x."""
    return float((y - x @ torch.linalg.lstsq(x, y).solution).var() / y.var())


def blocks(nodes: int, draw: torch.Generator) -> Edges:
    """Two halves with many edges inside and few between; a ring joins what would be alone."""
    half = torch.arange(nodes) < nodes // 2
    chance = torch.where(half[:, None] == half, 0.25, 0.02)
    joined = (torch.rand(nodes, nodes, generator=draw) < chance).triu(1)
    joined[torch.arange(nodes - 1), torch.arange(1, nodes)] = True
    source, target = joined.nonzero(as_tuple=True)
    return Edges(source, target, nodes=nodes).both_ways()


def own_graph(path: Path) -> tuple[Edges, str]:
    """The largest connected part of a graph of a person's own, and what was read."""
    network = read_network(path)
    part = torch.arange(network.nodes)
    while True:
        lowest = part.scatter_reduce(0, network.target, part[network.source], "amin")
        if torch.equal(lowest, part):
            break
        part = lowest
    inside = part == part.mode().values
    count = int(inside.sum())
    if not 3 <= count <= MOST:
        raise RegardError(
            f"this study takes graphs whose largest connected part has 3 to {MOST:,} nodes",
            f"{count:,} of the {network.nodes:,} nodes of {path.name}",
            "name another graph",
        )
    number = inside.cumsum(0) - 1
    kept = inside[network.source]
    edges = Edges(number[network.source[kept]], number[network.target[kept]], nodes=count)
    cut = "" if count == network.nodes else f" Its largest connected part is used, of {count:,} nodes."
    return edges, network.said + cut


def smoothed(graph: Edges, x: Tensor, own: float, depth: int) -> list[float]:
    """How far the nodes are from their common value, layer by layer.

    A layer is (mean of the neighbours + own · the node itself) / (1 + own). Distances are measured about the
    mean by degree, the value to which repeated averaging tends.
    """
    layer = GraphConvolution(
        x.shape[1], x.shape[1], normalise=Mean(), bias=False, self_connection=True
    ).double()
    degree = graph.targets.count.double()[:, None]
    found = []
    with torch.no_grad():
        same = torch.eye(x.shape[1], dtype=torch.float64)
        layer.weight.copy_(same / (1 + own))
        assert layer.own is not None
        layer.own.copy_(same * own / (1 + own))
        for _ in range(depth + 1):
            middle = (degree * x).sum(0) / degree.sum()
            found.append(float(((x - middle).square() * degree).sum().sqrt()))
            x = layer(x, graph)
    return found


def rate(a: Tensor, own: float) -> float:
    """The factor by which the slowest difference shrinks in a layer.

    It is max |own + λ| / (1 + own) over the eigenvalues λ of D⁻¹A other than 1.
    """
    scale = a.sum(1).rsqrt()
    values = torch.linalg.eigvalsh(scale[:, None] * a * scale)[:-1]
    return float(((own + values) / (1 + own)).abs().max())


def whole(x: Tensor) -> list[list[int]]:
    """The rows of a matrix of whole numbers."""
    return [[int(value) for value in row] for row in x.tolist()]


def middle(values: Sequence[int]) -> float:
    """The median of three neighbours' values, by the layer."""
    rows = torch.tensor(values, dtype=torch.float64)[:, None]
    return float(medians(rows, torch.zeros(3, dtype=torch.long), 1))


def counterexample() -> tuple[Sequence[int], Sequence[int], float]:
    """The first x and y of zeros and ones for which the median of a sum is not the sum of medians, and by how much."""
    cells = list(product((0, 1), repeat=3))
    for x, y in product(cells, cells):
        gap = middle([p + q for p, q in zip(x, y, strict=True)]) - middle(x) - middle(y)
        if gap:
            return x, y, gap
    return cells[0], cells[0], 0.0
