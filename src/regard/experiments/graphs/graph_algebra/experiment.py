"""Walks, Laplacians, message passing and attention on graphs small enough for paper. About 6 s on a CPU.   regard run graph-algebra"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Annotated

import torch

from regard.claims import Claim
from regard.core.edges import Edges
from regard.experiments.graphs.graph_algebra.figures import GRAPHS, SMOOTHING, draw_curves, draw_graphs
from regard.experiments.graphs.graph_algebra.formulas import (
    LEFT,
    RIGHT,
    adjacency,
    blocks,
    edges,
    laplacian,
    rate,
    smoothed,
    told,
    walks,
)
from regard.experiments.graphs.graph_algebra.layers import median_of_three, messages, transformer, weights
from regard.experiments.graphs.graph_algebra.noise import Noise, study
from regard.lab.events import Event, FigureEvent, Metric, ProgressEvent, TableEvent
from regard.lab.experiment import Context, Experiment
from regard.lab.ranges import Range

GIVEN = {
    "left, A": ((0, 1, 1, 0, 1), (1, 0, 1, 0, 0), (1, 1, 0, 1, 0), (0, 0, 1, 0, 0), (1, 0, 0, 0, 0)),
    "right, A": ((0, 1, 0, 0, 0, 0), (1, 0, 1, 0, 1, 0), (0, 1, 0, 1, 0, 0), (0, 0, 1, 0, 1, 1), (0, 1, 0, 1, 0, 1), (0, 0, 0, 1, 1, 0)),
    "left, A²": ((3, 1, 1, 1, 0), (1, 2, 1, 1, 1), (1, 1, 3, 0, 1), (1, 1, 0, 1, 0), (0, 1, 1, 0, 1)),
    "right, D − A": ((1, -1, 0, 0, 0, 0), (-1, 3, -1, 0, -1, 0), (0, -1, 2, -1, 0, 0), (0, 0, -1, 3, -1, -1), (0, -1, 0, -1, 3, -1), (0, 0, 0, -1, -1, 2)),
}  # fmt: skip
"The matrices in the answers to Amsterdam A2."
SMOOTH = (0.0, 1.0, 4.0)
"Weights of the self-connection, beside 1 for the neighbours."


@dataclass(frozen=True, kw_only=True)
class Settings:
    longest: int = 6
    "Walks up to this length are counted one by one."
    draws: Annotated[int, Range(2, 10**7)] = 20_000
    "Random features to which the Laplacian, the mean and the median are applied."
    depth: int = 64
    "Layers in the study of oversmoothing."
    noise: Noise = field(default_factory=Noise)
    "The study of noisy neighbours."


def run(settings: Settings, context: Context) -> Iterator[Event]:
    """Matrices first, then layers, then noise."""
    draw = torch.Generator().manual_seed(context.seed)
    left, right = edges(LEFT, 5), edges(RIGHT, 6)
    yield ProgressEvent("matrices and walks", 0.02)
    yield from _matrices(settings, left, right)
    yield ProgressEvent("the Laplacian", 0.2)
    yield from _laplacian(settings, right, draw)
    yield ProgressEvent("message passing", 0.3)
    yield from messages(right, draw)
    yield from median_of_three(settings.draws, draw)
    yield from weights(left)
    yield from transformer(draw)
    yield ProgressEvent("oversmoothing", 0.4)
    yield from _oversmoothing(settings, draw)
    yield ProgressEvent("noisy neighbours", 0.5)
    yield from study(settings.noise, context.seed)


def _matrices(settings: Settings, left: Edges, right: Edges) -> Iterator[Event]:
    a = adjacency(left)
    found = {
        "left, A": a,
        "right, A": adjacency(right),
        "left, A²": a @ a,
        "right, D − A": laplacian(adjacency(right)),
    }
    apart = sum(float((found[name] - torch.tensor(rows)).abs().sum()) for name, rows in GIVEN.items())
    yield Metric("entries in which the four matrices differ from the published ones", apart)
    yield TableEvent("matrices", ("matrix", "rows"), [(name, told(x)) for name, x in found.items()], MATRICES)
    rows, wrong, more = [], 0.0, 0.0
    for length in range(1, settings.longest + 1):
        power, (counted, paths) = torch.linalg.matrix_power(a, length), walks(a, length)
        wrong += float((power - counted).abs().sum())
        more += float((counted - paths).sum())
        rows.append((length, int(power.sum()), int(counted.sum()), int(paths.sum())))
    yield Metric("walks that Aⁿ counts wrongly", wrong)
    yield Metric("walks that are no paths", more)
    yield TableEvent("walks", ("length n", "sum of Aⁿ", "walks, one by one", "of them paths"), rows, WALKS)


def _laplacian(settings: Settings, right: Edges, draw: torch.Generator) -> Iterator[Event]:
    a = adjacency(right)
    matrix, degree = laplacian(a), a.sum(1)
    x = torch.randn(len(a), settings.draws, generator=draw, dtype=torch.float64)
    change = matrix @ x
    most = change.abs().argmax(0)
    share = torch.isin(most, torch.tensor([1, 3, 4])).double().mean().item()
    gap = (change.square().mean(1) / (degree * (degree + 1)) - 1).abs().max().item()
    yield Metric("random features: largest error of the predicted mean square d(d + 1)", gap)
    yield Metric("random features: share in which another node than 2, 4, 5 changes most", 1 - share)
    quiet = torch.tensor([1.0, 0.0, -0.5, -0.5, -0.5, -0.5], dtype=torch.float64)
    lonely = (matrix @ quiet).abs()
    yield Metric(
        "a feature for which node 1 changes most: its lead over the next", float(lonely[0] - lonely[1:].max())
    )
    yield Metric(
        "equal features: largest change",
        float((matrix @ torch.ones(len(a), dtype=torch.float64)).abs().max()),
    )
    rows = [
        (node + 1, int(degree[node]), int(degree[node] * (degree[node] + 1)), float(change[node].square().mean()),
         float((most == node).double().mean()), float(lonely[node]))
        for node in range(len(a))
    ]  # fmt: skip
    yield TableEvent("laplacian", ("node", "degree d", "d(d + 1)", "mean square of its change", "share of draws in which it changes most", "change for x = (1, 0, −½, −½, −½, −½)"), rows, LAPLACIAN)  # fmt: skip
    yield FigureEvent("graphs", draw_graphs(change.square().mean(1)), GRAPHS)


def _oversmoothing(settings: Settings, draw: torch.Generator) -> Iterator[Event]:
    graph = blocks(60, draw)
    a, x = adjacency(graph), torch.randn(60, 5, generator=draw, dtype=torch.float64)
    curves, worst = {}, 0.0
    for own in SMOOTH:
        found = smoothed(graph, x, own, settings.depth)
        curves[own] = found
        late, early = settings.depth, settings.depth // 2
        measured = (found[late] / found[early]) ** (1 / (late - early))
        worst = max(worst, abs(measured / rate(a, own) - 1))
        for layer in range(0, settings.depth + 1, 8):
            yield Metric(
                "distance from the common value", found[layer] / found[0], at={"B": own, "layer": layer}
            )
        yield Metric(f"distance left after {settings.depth} layers, B = {own:g}·I", found[-1] / found[0])
    yield Metric("oversmoothing: largest error of the predicted rate", worst)
    yield FigureEvent("oversmoothing", draw_curves(curves, {own: rate(a, own) for own in SMOOTH}), SMOOTHING)


MATRICES = "A has a 1 where two nodes are joined; D − A is the Laplacian, D the degrees. All four are those of the answers to Amsterdam A2."
WALKS = "The left graph: the sum of all entries of Aⁿ is the number of walks of length n, counted here one by one. A path meets no node twice, and there are far fewer of them."
LAPLACIAN = (
    "(LX)_v is the sum over the neighbours u of x_v − x_u. For independent features with variance 1 its mean square is d(d + 1), largest for the nodes of degree 3: 2, 4 and 5. "
    "In a single draw another node may change most; for the feature in the last column it is node 1, of degree 1."
)

CLAIMS = (
    Claim("entries in which the four matrices differ from the published ones", high=0.0,
          why="A of both graphs, A² of the left and D − A of the right", source="Amsterdam A2, 3.1"),
    Claim("walks that Aⁿ counts wrongly", high=0.0,
          why="(Aⁿ)_uv sums over all walks u … v of length n", source="Amsterdam A2, 3.1b"),
    Claim("walks that are no paths", low=1.0,
          why="the answer says paths, but u, v, u is a walk of length 2", source="this experiment"),
    Claim("random features: largest error of the predicted mean square d(d + 1)", high=0.06,
          why="the variance of d·x_v less d independent values; six estimates of 20,000 draws err by 1 % each", source="this experiment"),
    Claim("random features: share in which another node than 2, 4, 5 changes most", low=0.02, high=0.5,
          why="degree is a rule of thumb: nodes 3 and 6 have half the variance of the three", source="this experiment"),
    Claim("a feature for which node 1 changes most: its lead over the next", low=0.4,
          why="made by hand: everyone else agrees with his neighbours to ½", source="this experiment"),
    Claim("equal features: largest change", high=0.0,
          why="x_v − x_u = 0 along every edge", source="this experiment"),
    Claim("equation 6 as messages, as matrices, as a layer: largest gap", high=1e-12,
          why="one sum written three ways, in float64", source="Amsterdam A2, 3.2b and 3.3a"),
    Claim("without B: change of a node's output when its own features change", high=0.0,
          why="without the self-connection and without loops a node does not hear itself", source="Amsterdam A2, 3.2a"),
    Claim("share of the median of three that no matrix makes", low=0.24, high=0.275,
          why="1 − (1/3)/0.4487: the median of three normal values has variance 0.4487, and the mean explains 1/3", source="Amsterdam A2, 3.3b, and this experiment"),
    Claim("share of the mean of three that no matrix makes", high=1e-12,
          why="the mean is a matrix", source="Amsterdam A2, 3.3"),
    Claim("median(x + y) − median(x) − median(y) in the smallest counterexample", low=1.0,
          why="with zeros and ones the two sides can differ by one", source="Amsterdam A2, 3.3b"),
    Claim("weights of node 1's neighbours, largest less smallest: the mean of equation 6", high=1e-12,
          why="each is one over the degree", source="Amsterdam A2, 3.4a"),
    Claim("weights of node 1's neighbours, largest less smallest: Kipf and Welling's GCN", low=0.05,
          why="node 1 has degree 4 with its loop, its neighbours 3, 4 and 2: 1/√8 less 1/√16 is 0.10", source="this experiment"),
    Claim("a transformer and attention on the complete graph: largest gap", high=1e-12,
          why="the same sum over the same pairs, in float64", source="Amsterdam A2, 3.4c"),
    Claim("a causal transformer and attention on a directed graph: largest gap", high=1e-12,
          why="an edge from every word to itself and to every later one", source="Amsterdam A2, 3.4c"),
    Claim("the same layer on a chain instead: change of the output", low=0.01,
          why="the edges decide who is looked at: what a transformer would have to learn", source="Amsterdam A2, 3.4d"),
    Claim("oversmoothing: largest error of the predicted rate", high=0.02,
          why="after half the layers the slowest difference is nearly all that is left", source="this experiment"),
    Claim("marked strangers: attention less convolution", low=0.1,
          why="five voices against eight that shout: the best rule that hears all gets 72 %, the one that ignores them 99 %", source="Amsterdam A2, 3.4b"),
    Claim("attention paid to marked strangers", high=0.2,
          why="they can be told by a feature; equal weights would pay 8/13 = 0.62", source="Amsterdam A2, 3.4b"),
    Claim("unmarked strangers: attention less convolution", low=-0.05, high=0.05,
          why="a stranger that looks like anybody cannot be told from a friend", source="this experiment", preset="full"),
)  # fmt: skip

EXPERIMENT = Experiment(
    question="What do the matrices of a graph say, and what do message passing and attention make of them?",
    answers=(69, 70, 71, 72, 73, 74, 75, 76),
    method="""The two graphs of Amsterdam A2, question 3. Their adjacency matrices are built from lists of edges, and the
        powers of A are held against walks counted one by one. The Laplacian L = D − A is applied to random
        features, to equal ones, and to one made so that a node of degree 1 changes most.

        Equation 6, h_v' = σ(W · mean of the neighbours + B h_v), is computed three times: as matrices,
        σ(D⁻¹AHWᵀ + HBᵀ); as message passing, with message h_u / |N(v)| and update σ(W m + B h); and by the
        library's layer. For the median no matrix can do that: a counterexample is searched for among zeros and
        ones, and the best matrix is fitted by least squares. For independent normal values of three neighbours
        theory says what it must miss: the best matrix is the mean, so 1 − (1/3)/0.4487 = 25.7 % of the variance.

        Oversmoothing: equation 6 without its nonlinearity, 64 layers deep, with B = 0, I and 4I, the sum scaled
        to keep constants. A transformer layer is computed as attention on the complete graph, and a causal one
        on the graph with an edge from every earlier word. Noisy neighbours: one layer with equal weights and
        one with attention are trained on the same graphs, in which strangers who know nothing talk to every
        node; they are tested on new graphs.""",
    see="""Aⁿ counts walks. Degree says which node changes most under the Laplacian only on average. The
        self-connection lets a node keep what it was: without it a node forgets its own features at once. It
        slows the smoothing down, and the slowest difference still shrinks by a constant factor. GAT and GCN
        differ in where the weights come from: from features, or from degrees alone. With noise that can be
        recognised attention learns to look away; where noise looks like anybody it has nothing to go by. How far it
        looks away depends on the size: with two outputs straight from the layer and 60 steps, a first try, the gain
        was a third of what it is with eight channels, a linear map and 80 steps.""",
    correction="""The answers to Amsterdam A2 name nodes 2, 3 and 5 as those of degree 3; they are 2, 4 and 5. Powers of A count walks, not
        paths. B h_v is a self-connection, not a bias, and reduces oversmoothing rather than preventing it. With
        W and B as the assignment shapes them the matrix form needs their transposes, and D must have no zero on
        its diagonal; σ is any nonlinearity, not the sigmoid. And a GCN does not treat neighbours equally: its
        weights are 1/√(d_u d_v); only the mean does.""",
    claims=CLAIMS,
    presets={"quick": Settings(), "full": Settings(longest=7, draws=200_000, noise=Noise(nodes=1000, strangers=(0, 1, 2, 4, 8), steps=200, seeds=20))},
    seconds=6,
    run=run,
)  # fmt: skip
