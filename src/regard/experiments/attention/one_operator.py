"""One operator, seven layers: each row of the table against a formula written apart. About 2 s on a CPU.   regard run one-operator"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import inf, log
from typing import Annotated

import torch
import torch.nn.functional as F
from torch import Tensor

from regard.claims import Claim
from regard.core.attend import Attended, attend
from regard.core.edges import Edges
from regard.core.normalise import Divide, Mean, Raw, Symmetric
from regard.core.position import Relative
from regard.core.similarity import Additive, Constant, Gaussian, Kernel, elu_plus_one
from regard.core.support import Causal, Grid
from regard.lab.book.style import BLUE, ORANGE, mark_place, panels, show_image, style
from regard.lab.events import Event, FigureEvent, Metric, ProgressEvent, TableEvent
from regard.lab.experiment import Context, Experiment
from regard.lab.ranges import Range


@dataclass(frozen=True, kw_only=True)
class Settings:
    size: Annotated[int, Range(3, 2000)] = 13
    "Queries, keys or nodes."
    width: int = 5
    "Width of queries, keys and values."
    seeds: int = 3
    "Random instances of each row."


@dataclass(frozen=True)
class Row:
    """A row of the table: the factors, what they give, and both ways to compute it from the same inputs."""

    name: str
    gives: str
    ours: Callable[..., Attended]
    formula: Callable[..., Tensor]
    inputs: tuple[Tensor, ...]
    edges: Edges | None = None

    def weights(self) -> Tensor:
        """The weights of the first head as a matrix, queries by keys."""
        found = self.ours(*self.inputs, weights=True).weights
        assert found is not None
        if self.edges is None:
            return found[0, 0].detach()
        matrix = torch.zeros(self.edges.sizes, dtype=found.dtype)
        matrix[self.edges.target, self.edges.source] = found[0, 0].detach()
        return matrix


def rows(settings: Settings, generator: torch.Generator) -> Iterator[Row]:
    """Every row of the table with fresh random inputs in float64."""
    n, d = settings.size, settings.width

    def draw(*shape: int) -> Tensor:
        return torch.randn(*shape, generator=generator, dtype=torch.float64)

    q, k, v = draw(2, 3, n, d), draw(2, 3, n, d), draw(2, 3, n, d)
    yield Row("Dot, Causal, Softmax", "the transformer's attention",
              lambda q, k, v, weights: attend(q, k, v, support=Causal(), weights=weights), transformer, (q, k, v))  # fmt: skip
    x, none = draw(1, 1, n, 1), torch.zeros(1, 1, n, 1, dtype=torch.float64)
    p = torch.tensor([0.0, -inf, log(2)], dtype=torch.float64)
    yield Row("Dot + Relative, Softmax", "the convolution [2, 0, 1]",
              lambda x, weights: attend(none, none, 3 * x, position=Relative(p), weights=weights), convolution, (x,))  # fmt: skip
    yield Row("Kernel(elu + 1), Causal, Divide", "linear attention",
              lambda q, k, v, weights: attend(q, k, v, similarity=Kernel(elu_plus_one), support=Causal(), normalise=Divide(), weights=weights), running, (q, k, v))  # fmt: skip
    edges = graph(n, generator)
    additive = Additive(3, d).double()
    h = draw(1, 3, n, d)
    yield Row("Additive, Edges, Softmax", "a graph attention layer",
              lambda h, weights: attend(h, h, h, similarity=additive, support=edges, weights=weights),
              lambda h: graph_attention(h, edges, additive), (h,), edges)  # fmt: skip
    undirected = edges.both_ways().with_loops()
    yield Row("Constant, Edges, Symmetric", "a graph convolution",
              lambda h, weights: attend(h, h, h, similarity=Constant(), support=undirected, normalise=Symmetric(), weights=weights),
              lambda h: graph_convolution(h, undirected), (h,), undirected)  # fmt: skip
    yield Row("Constant, Edges, Mean", "the mean over neighbours",
              lambda h, weights: attend(h, h, h, similarity=Constant(), support=edges, normalise=Mean(), weights=weights),
              lambda h: neighbours(h, edges), (h,), edges)  # fmt: skip
    means, spread, share = draw(1, 1, 4, d), draw(4, d), draw(4).log_softmax(0)
    yield Row("Gaussian, Full, Softmax", "a mixture's responsibilities",
              lambda x, means, weights: attend(x, means, torch.eye(4, dtype=torch.float64).expand(1, 1, 4, 4), similarity=Gaussian(spread, share), weights=weights),
              lambda x, means: responsibilities(x, means, spread, share), (draw(1, 1, n, d), means))  # fmt: skip
    picture, kernel = draw(1, 1, 20, 1), draw(9)
    yield Row("Constant, Grid offset per head, Raw", "a convolution over a picture",
              lambda picture, kernel, weights: picture_convolution(picture, kernel, weights), two_dimensional, (picture, kernel))  # fmt: skip


def transformer(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """softmax(QKᵀ / √d + mask) V, in matrices."""
    scores = q @ k.mT / q.shape[-1] ** 0.5
    return (scores + torch.full(scores.shape[-2:], -inf, dtype=q.dtype).triu(1)).softmax(-1) @ v


def convolution(x: Tensor) -> Tensor:
    """2 x_(i-1) + x_(i+1), inside the edges."""
    return F.conv1d(x[:, :, :, 0], torch.tensor([[[2.0, 0.0, 1.0]]], dtype=x.dtype)).unsqueeze(-1)


def running(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """Linear attention as a recurrence: a state of sums is carried along."""
    q, k = F.elu(q) + 1, F.elu(k) + 1
    state, total, outputs = (
        torch.zeros_like(k[..., 0, :, None] * v[..., 0, None, :]),
        torch.zeros_like(k[..., 0, :]),
        [],
    )
    for i in range(q.shape[2]):
        state = state + k[..., i, :, None] * v[..., i, None, :]
        total = total + k[..., i, :]
        outputs.append((q[..., i, :, None] * state).sum(-2) / (q[..., i, :] * total).sum(-1, keepdim=True))
    return torch.stack(outputs, 2)


def graph(size: int, generator: torch.Generator) -> Edges:
    """A directed graph with an isolated node, the last."""
    joined = torch.rand(size - 1, size - 1, generator=generator) < 0.3
    source, target = joined.nonzero().T
    return Edges(source, target, nodes=size)


def adjacency(edges: Edges) -> Tensor:
    """A[i, j] = 1 where an edge points from j to i."""
    matrix = torch.zeros(edges.sizes, dtype=torch.float64)
    matrix[edges.target, edges.source] = 1
    return matrix


def graph_attention(h: Tensor, edges: Edges, additive: Additive) -> Tensor:
    """LeakyReLU(aᵀ[h_i ‖ h_j]), masked by the adjacency, softmax, times h; zero for a node without neighbours."""
    matrix = adjacency(edges)
    scores = F.leaky_relu(
        (h * additive.target[:, None]).sum(-1)[..., None]
        + (h * additive.source[:, None]).sum(-1)[..., None, :],
        0.2,
    )
    weights = scores.masked_fill(matrix == 0, -inf).softmax(-1)
    return torch.nan_to_num(weights) @ h


def graph_convolution(h: Tensor, edges: Edges) -> Tensor:
    """D^-1/2 A D^-1/2 h, loops included in A."""
    matrix = adjacency(edges)
    root = torch.diag(matrix.sum(1) ** -0.5)
    return root @ matrix @ root @ h


def neighbours(h: Tensor, edges: Edges) -> Tensor:
    """D^-1 A h, and zero where the degree is."""
    matrix = adjacency(edges)
    return matrix / matrix.sum(1, keepdim=True).clamp(min=1) @ h


def responsibilities(x: Tensor, means: Tensor, spread: Tensor, share: Tensor) -> Tensor:
    """p(component | x) by Bayes' rule, from torch's own densities."""
    density = torch.distributions.Normal(means[0, 0], (spread / 2).exp()).log_prob(x[0, 0, :, None]).sum(-1)
    joint = (density + share).exp()
    return (joint / joint.sum(-1, keepdim=True))[None, None]


def picture_convolution(picture: Tensor, kernel: Tensor, weights: bool) -> Attended:
    """A 3 × 3 convolution of a 4 × 5 picture: nine heads, one offset each, their outputs weighted by the kernel."""
    steps = torch.cartesian_prod(torch.arange(-1, 2), torch.arange(-1, 2)).view(9, 1, 2)
    heads = picture.expand(1, 9, 20, 1)
    found = attend(
        heads,
        heads,
        heads * kernel.view(1, 9, 1, 1),
        similarity=Constant(),
        support=Grid((4, 5), steps),
        normalise=Raw(),
        weights=weights,
    )
    return found._replace(output=found.output.sum(1, keepdim=True))


def two_dimensional(picture: Tensor, kernel: Tensor) -> Tensor:
    """torch's own convolution, padded with zeros."""
    return F.conv2d(picture.view(1, 1, 4, 5), kernel.view(1, 1, 3, 3), padding=1).view(1, 1, 20, 1)


def gaps(row: Row) -> tuple[float, float, Attended]:
    """The largest difference between the two ways, in the output and in the gradient of a random projection of it."""
    inputs = [value.clone().requires_grad_() for value in row.inputs]
    found = row.ours(*inputs, weights=False)
    output, expected = found.output, row.formula(*inputs)
    if output.shape != expected.shape:
        output = output[:, :, 1:-1]
    along = torch.linspace(-1, 1, expected.numel(), dtype=torch.float64).view(expected.shape)
    pulls = [
        torch.autograd.grad((value * along).sum(), inputs, retain_graph=True) for value in (output, expected)
    ]
    gradient = max(float((a - b).abs().max()) for a, b in zip(*pulls, strict=True))
    return float((output - expected).detach().abs().max()), gradient, found


def run(settings: Settings, context: Context) -> Iterator[Event]:
    """Measure the gap of every row over the seeds, then draw gaps and weights."""
    worst: dict[str, tuple[float, float]] = {}
    shown: dict[str, tuple[str, str, Tensor]] = {}
    for seed in range(settings.seeds):
        yield ProgressEvent(f"rows of the table, instance {seed}", seed / settings.seeds)
        for row in rows(settings, torch.Generator().manual_seed(1000 * context.seed + seed)):
            value, gradient, found = gaps(row)
            yield Metric("gap of the output", value, seed, {"row": row.name})
            yield Metric("gap of the gradient", gradient, seed, {"row": row.name})
            before = worst.get(row.name, (0.0, 0.0))
            worst[row.name] = max(before[0], value), max(before[1], gradient)
            shown.setdefault(row.name, (row.gives, found.backend, row.weights()))
    yield Metric("largest gap of an output", max(value for value, _ in worst.values()))
    yield Metric("largest gap of a gradient", max(gradient for _, gradient in worst.values()))
    table = [(name, gives, backend, *worst[name]) for name, (gives, backend, _) in shown.items()]
    yield TableEvent(
        "rows",
        ("choose", "and you get", "backend", "gap, output", "gap, gradient"),
        table,
        "Each row of the table: the objects that are passed, what they give, which implementation `attend` chose, and the largest difference from the formula over all instances, in the output and in the gradient.",
    )
    yield FigureEvent(
        "gaps",
        _gaps(worst, shown),
        "The largest difference between `attend` and a formula written apart, for every row, in float64; the dotted line is the largest difference that the claims allow.",
    )

    yield FigureEvent(
        "weights",
        _weights(shown),
        "The weights of one head of each row: queries from top to bottom, keys from left to right, the brighter the larger; the nine heads of the last row differ in their offset.",
    )


def _weights(shown: dict):
    with style():
        figure, axes = panels(4, 2, width=7.4, height=2.1)
        for axis, (gives, _, matrix) in zip(axes, shown.values(), strict=True):
            show_image(axis, matrix, gives, vmin=0, aspect="auto")
        return figure


def _gaps(worst: dict[str, tuple[float, float]], shown: dict):
    with style():
        figure, (axis,) = panels(width=7.0, height=3.4)
        places = range(len(worst))
        for part, (colour, label, marker) in enumerate(((BLUE, "output", "o"), (ORANGE, "gradient", "s"))):
            values = [max(pair[part], 1e-17) for pair in worst.values()]
            axis.plot(values, places, linestyle="", color=colour, marker=marker, label=label)
        mark_place(axis, 1e-10)
        axis.set(
            xscale="log",
            xlim=(1e-17, 1e-8),
            xlabel="largest difference",
            yticks=list(places),
            yticklabels=[shown[name][0] for name in worst],
        )
        axis.invert_yaxis()
        axis.legend(loc="lower right")
        return figure


CLAIMS = (
    Claim("largest gap of an output", high=1e-10,
          why="the same function, in float64", source="the table of the guide Build: one operator and the models made of it",
          says="Yes: in all eight rows `attend` gives what the layer's own formula gives (largest gap of an output {value:.2g}).",
          otherwise="No: in at least one row `attend` differs from the layer's own formula, by up to {value:.2g}.",
          asks="whether every row of the table gives its layer"),
    Claim("largest gap of a gradient", high=1e-10,
          why="the same function has the same gradient", source="the table of the guide Build: one operator and the models made of it",
          says="The gradients with respect to all inputs are the same too (largest gap {value:.2g}).",
          otherwise="Their gradients are not the same: they differ by up to {value:.2g}.",
          asks="whether the gradients are the same"),
)  # fmt: skip

EXPERIMENT = Experiment(
    question="Are attention, convolution, graph layers and a mixture's responsibilities really one operator?",
    method="""Each row of the table picks a similarity, a support, a position and a normaliser for `attend`.
        What comes out is held against a formula written apart, in the way a textbook would: matrices for the
        transformer, a recurrence for linear attention, the degree-normalised adjacency for a graph
        convolution, Bayes' rule for the mixture, torch's own convolution. Inputs are random, in float64; the
        graph is directed and has a node without neighbours.

        Both the output and the gradient with respect to every input are compared.""",
    see="""The rows differ only in which objects were passed; the operator is the same function. The column
        "backend" says which of the four implementations was chosen for it. The row for relative positions is
        derived in [[theory-relative-attention]], linear attention in [[theory-kernel-attention]], the graph
        layers in [[theory-graph-layers]].""",
    claims=CLAIMS,
    opens_with=("largest gap of an output", "largest gap of a gradient"),
    presets={"quick": Settings(), "full": Settings(size=41, seeds=20)},
    seconds=2,
    run=run,
)
