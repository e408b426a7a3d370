"""Walks, Laplacians, message passing and attention on graphs small enough for paper. About 6 s on a CPU.   regard run graph-algebra"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
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
    own_graph,
    rate,
    smoothed,
    walks,
    whole,
)
from regard.experiments.graphs.graph_algebra.layers import median_of_three, messages, transformer, weights
from regard.experiments.graphs.graph_algebra.noise import Noise, study
from regard.lab.events import Event, FigureEvent, Metric, ProgressEvent, TableEvent, TextEvent
from regard.lab.experiment import FOUND, Context, Experiment, OwnWords
from regard.lab.ranges import OwnPath, Range

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
    graph: Annotated[Path | None, OwnPath("file")] = None
    "A graph of your own for the study of oversmoothing: a CSV of edges, GraphML, GML, GEXF, Pajek, .mtx, or an edge_index in .npz."
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
    widest = max(len(x) for x in found.values())
    entries = [
        (name if place == 0 else "", place + 1, *row, *[None] * (widest - len(row)))
        for name, x in found.items()
        for place, row in enumerate(whole(x))
    ]
    heads = ("matrix", "row", *(str(node) for node in range(1, widest + 1)))
    yield TableEvent("matrices", heads, entries, MATRICES)
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
    if settings.graph is not None:
        graph, said = own_graph(settings.graph)
        yield TextEvent("Your graph", said)
    nodes = graph.sizes[0]
    a, x = adjacency(graph), torch.randn(nodes, 5, generator=draw, dtype=torch.float64)
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
    if settings.graph is not None:
        yield TextEvent(FOUND, said_of_own(nodes, {own: (found[-1] / found[0], rate(a, own)) for own, found in curves.items()}, settings.depth))  # fmt: skip
    yield FigureEvent(
        "oversmoothing",
        draw_curves(curves, {own: rate(a, own) for own in SMOOTH}),
        SMOOTHING.format(
            graph="a graph of two loosely joined halves" if settings.graph is None else "your graph",
            depth=settings.depth,
        ),
    )


def said_of_own(nodes: int, found: Mapping[float, tuple[float, float]], depth: int) -> str:
    """What averaging does to a graph of a person's own: for each self-connection what is left, and the predicted rate."""
    told = [
        f"{left:.2g} {'without a self-connection' if own == 0 else f'with B = {own:g}·I'} (predicted for late layers: times {shrunk:.4f} a layer)"
        for own, (left, shrunk) in found.items()
    ]
    return f"Averaging brings the {nodes:,} nodes of your graph nearer to one common value; after {depth} layers, of their first distance: {', '.join(told)}."


MATRICES = "Four matrices of the two graphs, row by row, a column for each node: A has a 1 where two nodes are joined; D − A is the Laplacian, D the degrees. They are held against the answers to Amsterdam A2, entry by entry."
WALKS = "The left graph: the sum of all entries of Aⁿ is compared with the number of walks of length n, counted here one by one. A path meets no node twice: the last column is what the answer to Amsterdam A2 speaks of."
LAPLACIAN = (
    "(LX)_v is the sum over the neighbours u of x_v − x_u. For independent features with variance 1 its mean square is d(d + 1) in theory, which is largest for the nodes of degree 3: 2, 4 and 5. "
    "The fifth column tells how often each node changes most in a single draw; the last is a feature made so that node 1, of degree 1, does."
)

CLAIMS = (
    Claim("entries in which the four matrices differ from the published ones", high=0.0,
          why="A of both graphs, A² of the left and D − A of the right", source="Amsterdam A2, 3.1", items=(69, 71),
          says="Both adjacency matrices, A² and the Laplacian are those of the published answers, entry by entry.",
          otherwise="{value} entries of the four matrices differ from the published answers.",
          asks="whether the four matrices are those of the published answers"),
    Claim("walks that Aⁿ counts wrongly", high=0.0,
          why="(Aⁿ)_uv sums over all walks u … v of length n", source="Amsterdam A2, 3.1b", items=(70,),
          says="The powers of a graph's adjacency matrix count walks: up to the length tried, Aⁿ has the number of walks between every two nodes, counted one by one ({of[walks that are no paths]} of them meet a node twice and are no paths).",
          otherwise="The powers of the adjacency matrix do not count walks: {value} are counted wrongly.",
          asks="whether the powers of the adjacency matrix count walks"),
    Claim("walks that are no paths", low=1.0,
          why="the answer says paths, but u, v, u is a walk of length 2", source="this experiment", items=(70,),
          says="Walks are not paths: {value} of the walks counted meet a node twice, so that Aⁿ does not count paths as the answer says.",
          otherwise="Every walk counted is a path, so that the two cannot be told apart here.",
          asks="whether there are walks that are no paths"),
    Claim("random features: largest error of the predicted mean square d(d + 1)", high=0.06,
          why="the variance of d·x_v less d independent values; six estimates of 20,000 draws err by 1 % each", source="this experiment", items=(71,),
          says="For independent random features the Laplacian changes a node of degree d by d(d + 1) in the mean square, to {value:.1%}: on average the nodes of degree 3 change most.",
          otherwise="For independent random features the mean square of a node's change is off its predicted d(d + 1) by {value:.1%}.",
          asks="whether a node's mean square change under the Laplacian is d(d + 1)"),
    Claim("random features: share in which another node than 2, 4, 5 changes most", low=0.02, high=0.5,
          why="degree is a rule of thumb: nodes 3 and 6 have half the variance of the three", source="this experiment", items=(71,),
          says="In {value:.0%} of the random features another node than the three of degree 3 changes most: degree is a rule of thumb.",
          otherwise="The share of random features in which another node than the three of degree 3 changes most is {value:.1%}: not what a rule of thumb would give.",
          asks="how often a node of lower degree changes most"),
    Claim("a feature for which node 1 changes most: its lead over the next", low=0.4,
          why="made by hand: everyone else agrees with his neighbours to ½", source="this experiment", items=(71,),
          says="There is a feature for which node 1, of degree 1, changes most of all, by {value} more than the next.",
          otherwise="In the feature made for node 1, of degree 1, it does not clearly change most: its lead is {value}.",
          asks="whether a node of degree 1 can change most"),
    Claim("equal features: largest change", high=0.0,
          why="x_v − x_u = 0 along every edge", source="this experiment", items=(71,),
          says="Equal features do not change at all under the Laplacian, whatever the degrees.",
          otherwise="Equal features change under the Laplacian, by up to {value}.",
          asks="whether equal features change under the Laplacian"),
    Claim("equation 6 as messages, as matrices, as a layer: largest gap", high=1e-12,
          why="one sum written three ways, in float64", source="Amsterdam A2, 3.2b and 3.3a", items=(73, 74),
          says="Message passing is a product of matrices: equation 6 as messages, as σ(D⁻¹AHWᵀ + HBᵀ) and as the library's layer give the same numbers, to {value:.0e}.",
          otherwise="Equation 6 as messages, as matrices and as the library's layer are not the same: they differ by {value:.1e}.",
          asks="whether equation 6 can be written as messages and as matrices alike"),
    Claim("without B: change of a node's output when its own features change", high=0.0,
          why="without the self-connection and without loops a node does not hear itself", source="Amsterdam A2, 3.2a", items=(72,),
          says="Without the self-connection B a node does not hear itself: its output stays exactly as it is when its own features change.",
          otherwise="Without the self-connection B a node's output still changes with its own features, by {value:.2g}.",
          asks="whether a node hears itself without B"),
    Claim("share of the median of three that no matrix makes", low=0.24, high=0.275,
          why="1 − (1/3)/0.4487: the median of three normal values has variance 0.4487, and the mean explains 1/3", source="Amsterdam A2, 3.3b, and this experiment", items=(75,),
          says="The median has no matrix form: the best matrix misses {value:.1%} of the variance of the median of three neighbours; theory says 25.7 %.",
          otherwise="The best matrix misses {value:.1%} of the variance of the median of three neighbours, which is not the 25.7 % of theory.",
          asks="what the best matrix misses of a median"),
    Claim("share of the mean of three that no matrix makes", high=1e-12,
          why="the mean is a matrix", source="Amsterdam A2, 3.3", items=(75,),
          says="The best matrix misses nothing of the mean ({value:.0e}), which has a matrix form.",
          otherwise="The best matrix misses {value:.1e} of the mean, which should have a matrix form.",
          asks="whether the mean has a matrix form"),
    Claim("median(x + y) − median(x) − median(y) in the smallest counterexample", low=1.0,
          why="with zeros and ones the two sides can differ by one", source="Amsterdam A2, 3.3b", items=(75,),
          says="A counterexample with zeros and ones shows that the median is not linear: the two sides differ by {value}.",
          otherwise="No counterexample was found among zeros and ones: the two sides differ by {value} at most.",
          asks="whether the median is linear on zeros and ones"),
    Claim("weights of node 1's neighbours, largest less smallest: the mean of equation 6", high=1e-12,
          why="each is one over the degree", source="Amsterdam A2, 3.4a", items=(76,),
          says="Equation 6 weighs all neighbours alike.",
          otherwise="Equation 6 does not weigh all neighbours alike: weights differ by {value:.2g}.",
          asks="whether equation 6 weighs neighbours alike"),
    Claim("weights of node 1's neighbours, largest less smallest: Kipf and Welling's GCN", low=0.05,
          why="node 1 has degree 4 with its loop, its neighbours 3, 4 and 2: 1/√8 less 1/√16 is 0.10", source="this experiment", items=(76,),
          says="A GCN does not weigh all neighbours alike: its weights for the neighbours of node 1 differ by up to {value:.2f}, by their degrees.",
          otherwise="A GCN weighs the neighbours of node 1 nearly alike: the weights differ by {value:.2g}.",
          asks="whether a GCN weighs neighbours by their degrees"),
    Claim("a transformer and attention on the complete graph: largest gap", high=1e-12,
          why="the same sum over the same pairs, in float64", source="Amsterdam A2, 3.4c", items=(76,),
          says="A transformer layer is attention on the complete graph, to {value:.0e}.",
          otherwise="A transformer layer is not attention on the complete graph: they differ by {value:.1e}.",
          asks="whether a transformer layer is attention on the complete graph"),
    Claim("a causal transformer and attention on a directed graph: largest gap", high=1e-12,
          why="an edge from every word to itself and to every later one", source="Amsterdam A2, 3.4c", items=(76,),
          says="A causal transformer layer is attention on the graph with an edge to every word from itself and all earlier ones, to {value:.0e}.",
          otherwise="A causal transformer layer is not attention on the directed graph: they differ by {value:.1e}.",
          asks="whether a causal transformer layer is attention on a directed graph"),
    Claim("the same layer on a chain instead: change of the output", low=0.01,
          why="the edges decide who is looked at: what a transformer would have to learn", source="Amsterdam A2, 3.4d", items=(76,),
          says="On a chain the same weights give another output (it changes by up to {value:.2f}): the edges say who is looked at, which a transformer would have to learn.",
          otherwise="On a chain the same weights give nearly the same output: it changes by {value:.2g}.",
          asks="whether the edges change what attention gives"),
    Claim("oversmoothing: largest error of the predicted rate", high=0.02,
          why="after half the layers the slowest difference is nearly all that is left", source="this experiment", data="graph", items=(72,),
          says="Repeated averaging makes all nodes alike at the predicted rate (to {value:.2%}): the slowest difference shrinks by the largest |β + λ|/(1 + β) a layer, which a self-connection brings nearer to 1 without reaching it.",
          otherwise="Repeated averaging does not make nodes alike at the predicted rate: the error is {value:.1%}.",
          asks="at which rate averaging makes nodes alike"),
    Claim("marked strangers: attention less convolution", low=0.1,
          why="five voices against eight that shout: the best rule that hears all gets 72 %, the one that ignores them 99 %", source="Amsterdam A2, 3.4b", items=(76,),
          says="Where noisy neighbours can be recognised attention beats equal weights by {value:.0%} of the test nodes (95 % interval {low:.0%} to {high:.0%}): it gives the noise {of[attention paid to marked strangers]:.0%} of its weight, and equal weights would give it 62 %.",
          otherwise="Even where noisy neighbours can be recognised attention is only {value:.0%} of the test nodes ahead of equal weights.",
          asks="whether attention copes better with noisy neighbours that can be recognised"),
    Claim("attention paid to marked strangers", high=0.2,
          why="they can be told by a feature; equal weights would pay 8/13 = 0.62", source="Amsterdam A2, 3.4b", items=(76,),
          says="Attention learns to look away from marked strangers: they get {value:.0%} of it.",
          otherwise="Attention does not look away from marked strangers: they get {value:.0%} of it.",
          asks="how much attention marked strangers get"),
    Claim("unmarked strangers: attention less convolution", low=-0.05, high=0.05,
          why="a stranger that looks like anybody cannot be told from a friend", source="this experiment", items=(76,),
          says="Where noise looks like anybody attention has nothing to go by: it differs from equal weights by {value:+.1%}.",
          otherwise="Where noise looks like anybody attention still differs from equal weights, by {value:+.1%}.",
          asks="whether attention helps against noise that looks like anybody"),
)  # fmt: skip

METHOD = r"""The two graphs of Amsterdam A2, question 3. Their adjacency matrices are built from lists of edges, and the
        powers of $A$ are held against walks counted one by one. The Laplacian $L = D - A$ is applied to random
        features, to equal ones, and to one made so that a node of degree 1 changes most.

        Equation 6, $h_v' = \sigma(W m_v + B h_v)$ with $m_v$ the mean of the neighbours, is computed three times: as
        matrices, $\sigma(D^{-1} A H W^\top + H B^\top)$; as message passing, with message $h_u / |N(v)|$ and update
        $\sigma(W m + B h)$; and by the library's layer. For the median no matrix can do that: a counterexample is searched for among zeros and
        ones, and the best matrix is fitted by least squares. For independent normal values of three neighbours
        theory says what it must miss: the best matrix is the mean, so 1 − (1/3)/0.4487 = 25.7 % of the variance.

        Oversmoothing: equation 6 without its nonlinearity, 64 layers deep, with $B$ = 0, $I$ and $4 I$, the sum scaled
        to keep constants. A transformer layer is computed as attention on the complete graph, and a causal one
        on the graph with an edge from every earlier word. Noisy neighbours: one layer with equal weights and
        one with attention are trained on the same graphs, in which strangers who know nothing talk to every
        node; they are tested on new graphs."""

EXPERIMENT = Experiment(
    question="What do the matrices of a graph say, and what do message passing and attention make of them?",
    method=METHOD,
    see="""The matrices come first: what the powers of A count, and where the Laplacian is large. Then what layers do with
        them: the self-connection lets a node keep what it was; look in the figure of oversmoothing at what it does to the
        slope, and whether any slope is zero. GAT and GCN differ in where the weights come from: from features, or from
        degrees alone. The last figure asks what that is worth among noisy neighbours, once with noise that can be
        recognised and once with noise that looks like anybody. [[theory-graph-layers]] derives equation 6, the
        self-connection and the median; [[cora]] and [[composers]] put attention over graphs to work, [[karate]]
        two layers of a GCN.""",
    correction=r"""The answers to Amsterdam A2 name nodes 2, 3 and 5 as those of degree 3; they are 2, 4 and 5. Powers of $A$ count walks, not
        paths. $B h_v$ is a self-connection, not a bias, and reduces oversmoothing rather than preventing it. With
        $W$ and $B$ as the assignment shapes them the matrix form needs their transposes, and $D$ must have no zero on
        its diagonal; $\sigma$ is any nonlinearity, not the sigmoid. And a GCN does not treat neighbours equally: its
        weights are $1 / \sqrt{d_u d_v}$; only the mean does.""",
    claims=CLAIMS,
    own=OwnWords(
        data="graph",
        question="How fast does repeated averaging make the nodes of your graph alike, and what do matrices, message passing and attention do on small ones?",
        method=f"""Your graph is the one on which oversmoothing is measured: its largest connected part, each edge both ways
        round. Everything else is measured on the small graphs of the original.

        {METHOD}""",
    ),
    opens_with=(
        "walks that Aⁿ counts wrongly",
        "equation 6 as messages, as matrices, as a layer: largest gap",
    ),
    presets={"quick": Settings(), "full": Settings(longest=7, draws=200_000, noise=Noise(nodes=1000, strangers=(0, 1, 2, 4, 8), steps=200, seeds=20))},
    seconds=6,
    run=run,
)  # fmt: skip
