"""A graph convolution layer: neighbours and the node itself, weighed by the roots of their degrees."""

import re
from typing import Any

import numpy as np

from regard.checker import laws
from regard.checker.bench import Bench, Unfit
from regard.checker.contract import Contract, Convention, Frame, Law, Mistake, forms
from regard.checker.contracts.attention_mistakes import BEHAVIOUR
from regard.checker.contracts.graph_layer import call, cases, isolated, renamed, strangers, usual
from regard.checker.references import graph
from regard.checker.references.graph import elu, leaky, listening, looped, symmetric
from regard.checker.session import Raised
from regard.checker.subject import Subject, draw

STUB = '''"""A graph convolution layer, to be filled in. Then: regard check gcn_layer.py"""

import torch
from torch import nn


class GCNLayer(nn.Module):
    """Each node gathers from its neighbours and itself, weighed by the roots of the degrees.

    x is (n, inputs); adj is the plain adjacency (n, n): adj[i, j] is 1 where node i listens to node j.

        A = adj with a loop at every node,  D = diagonal of A's row sums
        y = D^-1/2 A D^-1/2 x W + b
    """

    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(inputs, outputs))
        self.bias = nn.Parameter(torch.zeros(outputs))
        nn.init.xavier_uniform_(self.weight)

    def forward(self, x: torch.Tensor, adj: torch.Tensor) -> torch.Tensor:
        raise NotImplementedError("fill me in")
'''

INPUTS, OUTPUTS = 10, 13


def inverse(degree: np.ndarray, power: float) -> np.ndarray:
    """A power of the degrees; nothing has the power 0."""
    with np.errstate(all="ignore"):
        found = degree**power
    return np.where(np.isfinite(found), found, 0.0)


def safe(a: np.ndarray, degree: np.ndarray) -> np.ndarray:
    """The symmetric normalisation with zero for nodes of no degree."""
    root = inverse(degree, -0.5)
    return root[:, None] * a * root[None, :]


def bare(a: np.ndarray) -> np.ndarray:
    """No loops added."""
    return a


def literal(a: np.ndarray) -> np.ndarray:
    """A + I."""
    return a + np.eye(len(a))


def laplacian(a: np.ndarray, degree: np.ndarray) -> np.ndarray:
    """I - D^-1/2 A D^-1/2."""
    return np.eye(len(a)) - safe(a, degree)


MISTAKES = (
    Mistake(
        slug="self-loops-missing",
        cause="no loops are added: a node does not hear itself",
        remedy="A = adj + I before the degrees are counted",
        look="degree product",
        forms=forms({"loops": bare, "normalise": safe}, {"loops": bare}),
    ),
    Mistake(
        slug="self-loops-double",
        cause="every node is added twice: A + 2 I",
        remedy="A = adj + I",
        look="loops",
        forms=forms(
            {"loops": lambda a: a + 2 * np.eye(len(a))}, {"loops": lambda a: looped(a) + np.eye(len(a))}
        ),
    ),
    Mistake(
        slug="degree-before-loops",
        cause="the degrees are counted before the loops are added",
        remedy="count the rows of A + I, not of A",
        look="degree loops",
        forms=forms(
            {"degree": lambda a, looped: a.sum(1)},
            {"degree": lambda a, looped: a.sum(1), "normalise": safe},
            {"degree": lambda a, looped: a.sum(1), "loops": literal},
            {"degree": lambda a, looped: a.sum(1), "loops": literal, "normalise": safe},
            {"degree": lambda a, looped: np.maximum(a.sum(1), 1)},
            {"degree": lambda a, looped: np.maximum(a.sum(1), 1), "loops": literal},
            {"loops": bare, "normalise": lambda a, d: safe(a, d) + np.eye(len(a))},
        ),
    ),
    Mistake(
        slug="laplacian",
        cause="the Laplacian stands where the normalised adjacency should: differences spread instead of sums",
        remedy="D^-1/2 A D^-1/2, without I in front",
        look="degree loops",
        forms=forms(
            {"loops": bare, "normalise": laplacian},
            {"normalise": laplacian},
            {"loops": bare, "normalise": lambda a, d: np.diag(d) - a},
            {"normalise": lambda a, d: np.diag(d) - a},
            {"loops": literal, "normalise": laplacian},
        ),
    ),
    Mistake(
        slug="row-normalised",
        cause="rows are divided by the degree (a mean), instead of both ends by its root",
        remedy="D^-1/2 A D^-1/2: the root of the degree on both sides",
        look="degree power",
        forms=forms({"normalise": lambda a, d: inverse(d, -1)[:, None] * a}),
    ),
    Mistake(
        slug="column-normalised",
        cause="columns are divided by the degree, instead of both ends by its root",
        remedy="D^-1/2 A D^-1/2: the root of the degree on both sides",
        look="degree power",
        forms=forms(
            {"normalise": lambda a, d: a * inverse(d, -1)[None]},
            {"normalise": lambda a, d: a * inverse(a.sum(0), -1)[None]},
        ),
    ),
    Mistake(
        slug="left-only",
        cause="only the left side is divided by the root of the degree",
        remedy="D^-1/2 A D^-1/2: both sides",
        look="degree power",
        forms=forms({"normalise": lambda a, d: inverse(d, -0.5)[:, None] * a}),
    ),
    Mistake(
        slug="right-only",
        cause="only the right side is divided by the root of the degree",
        remedy="D^-1/2 A D^-1/2: both sides",
        look="degree power",
        forms=forms({"normalise": lambda a, d: a * inverse(d, -0.5)[None]}),
    ),
    Mistake(
        slug="root-missing",
        cause="both sides are divided by the degree itself, not by its root",
        remedy="D^-1/2 on both sides: deg.pow(-0.5)",
        look="power degree",
        forms=forms({"normalise": lambda a, d: inverse(d, -1)[:, None] * a * inverse(d, -1)[None]}),
    ),
    Mistake(
        slug="root-not-inverted",
        cause="both sides are multiplied by the root of the degree instead of divided by it",
        remedy="deg.pow(-0.5), not deg.pow(0.5)",
        look="power root degree",
        forms=forms({"normalise": lambda a, d: (d**0.5)[:, None] * a * (d**0.5)[None]}),
    ),
    Mistake(
        slug="normalisation-missing",
        cause="nothing is divided by degrees: nodes with many neighbours grow",
        remedy="D^-1/2 A D^-1/2 x W; if the layer expects an adjacency that is normalised already, name the argument so (adj_norm)",
        look="product degree",
        forms=forms({"normalise": lambda a, d: a}, {"normalise": lambda a, d: a, "loops": bare}),
    ),
    Mistake(
        slug="direction-reversed",
        cause="source and target are exchanged: a node gathers from those who listen to it",
        remedy="row i of adj holds whom node i listens to; edge_index[0] are sources and edge_index[1] targets",
        look="gather product",
        forms=forms(
            {"graph": lambda a: a.T},
            {"normalise": lambda a, d: symmetric(a.T, d)},
        ),
    ),
    Mistake(
        slug="adjacency-ignored",
        cause="the graph has no effect",
        remedy="multiply by the normalised adjacency",
        look="product",
        forms=forms({"spread": lambda a, h: h}),
    ),
    Mistake(
        slug="adjacency-squared",
        cause="the normalised adjacency is applied twice",
        remedy="apply it once in each layer",
        look="product",
        forms=forms({"spread": lambda a, h: a @ (a @ h)}),
    ),
    Mistake(
        slug="weight-unused",
        cause="the features are not transformed: the weight is never used",
        remedy="multiply by the weight",
        look="product",
        forms=forms({"transform": lambda x, w: x}),
    ),
    Mistake(
        slug="neighbour-maximum",
        cause="the largest neighbour is taken instead of the weighted sum",
        remedy="sum the normalised neighbours: A @ x",
        look="product",
        forms=forms(
            {
                "spread": lambda a, h: np.where(a[..., None] != 0, h[None], -np.inf).max(1),
                "normalise": lambda a, d: a,
            },
            {"spread": lambda a, h: np.where(a[..., None] != 0, a[..., None] * h[None], -np.inf).max(1)},
        ),
    ),
    Mistake(
        slug="bias-dropped",
        cause="the bias exists and is never added",
        remedy="add self.bias to the result",
        look="bias product",
        forms=forms({"finish": lambda y, a, w: y}),
    ),
    Mistake(
        slug="not-equivariant",
        cause="the output depends on how the nodes are numbered",
        remedy="use no node index as a feature",
    ),
)

CONVENTIONS = (
    Convention(
        slug="self-loops-twice",
        says="A + I is taken literally: a loop that was there already counts twice",
        forms=forms({"loops": literal}),
    ),
    Convention(
        slug="bias-propagated",
        says="the bias is added before the neighbours are summed, so that it is spread as well",
        forms=forms({"finish": lambda y, a, w: y + a @ np.broadcast_to(w["bias"], (len(a), y.shape[1]))}),
    ),
    Convention(
        slug="degree-side",
        says="on a directed graph the degree of the other end is taken",
        forms=forms(
            {"degree": lambda a, looped: looped.sum(0)},
            {"degree": lambda a, looped: looped.sum(1), "normalise": lambda a, d: safe_ends(a)},
            {"degree": lambda a, looped: looped.sum(0), "normalise": lambda a, d: safe_ends(a.T).T},
        ),
    ),
    Convention(
        slug="activation-inside",
        says="an activation is applied to the output inside the layer",
        forms=forms(
            {"after": lambda y: np.maximum(y, 0)},
            {"after": elu},
            {"after": lambda y: leaky(y, 0.01)},
            {"after": lambda y: 1 / (1 + np.exp(-y))},
            {"after": np.tanh},
        ),
    ),
    Convention(slug="normalised-adjacency", says="the layer expects an adjacency that is normalised already"),
    Convention(slug="isolated-nan", says="a node that is joined to nothing gives NaN"),
)


def safe_ends(a: np.ndarray) -> np.ndarray:
    """Each edge over the root of its target's in-degree and its source's out-degree."""
    return inverse(a.sum(1), -0.5)[:, None] * a * inverse(a.sum(0), -0.5)[None]


def suits(member: dict[str, Any], source: str) -> float:
    """A class of graph convolution."""
    name = member["name"].lower()
    if member["kind"] != "class" or not re.search(r"gcn|graph_?conv", name):
        return 0.0
    return 0.95 if re.search(r"layer|conv", name) else 0.8


def expects_normalised(bench: Bench) -> bool:
    """Whether the names or the docstring say that the adjacency comes normalised."""
    names = " ".join(p["name"] for p in bench.member["forward"])
    words = bench.member["doc"]
    return (
        bool(
            re.search(r"norm|hat|tilde", names, re.I)
            or re.search(
                r"(pre|already)[\s-]*normali[sz]ed|normali[sz]ed (adj|matrix|laplac)|normali[sz]ed\s*:",
                words,
                re.I,
            )
        )
        or bench.said.get("adjacency") == "normalised"
    )


def adapt(bench: Bench) -> Subject:
    """Make it, find how the graph is passed, read the weights."""
    rng = np.random.default_rng(7)
    width = INPUTS
    for outputs in (OUTPUTS, INPUTS):
        made = bench.build({"inputs": INPUTS, "outputs": outputs, "dropout": 0.3, "bias": None})
        try:
            subject = call(bench, made, width, rng)
            break
        except Raised:
            if outputs == INPUTS:
                raise
    drawn = draw(made.weights, made.learned, rng)
    subject.set(drawn)
    subject.facts["drawn"] = drawn
    matrices = [
        (n, v) for n, v in drawn.items() if v.ndim == 2 and sorted(v.shape) == sorted((INPUTS, outputs))
    ]
    if not matrices:
        raise Unfit(
            "unknown-weight",
            f"no weight of shape ({INPUTS}, {outputs}) among {', '.join(drawn) or 'none'}",
            "keep the transformation as one matrix",
        )
    name, value = matrices[0]
    flip = made.owners[name] == "Linear" or (value.shape[0] == outputs and outputs != INPUTS)
    w = value.T if flip else value
    biases = [v for n, v in drawn.items() if v.size == outputs and n != name]
    weights = {"w": w, "bias": sum(biases) if biases else np.zeros(outputs)}
    notes = (
        f"transformation = {name}"
        + (
            f", bias = {next(n for n, v in drawn.items() if v.size == outputs and n != name)}"
            if biases
            else ""
        ),
    )
    subject.facts["prepared"] = expects_normalised(bench)
    subject.frames = [
        Frame(
            weights=weights,
            facts={"prepared": subject.facts["prepared"]},
            notes=notes,
            conventions=("normalised-adjacency",) if subject.facts["prepared"] else (),
        )
    ]
    return subject


def reference(case: Any, frame: Frame, steps: Any) -> np.ndarray:
    """The layer on the nodes that are joined to anything; a prepared adjacency is used as it comes."""
    given = {"loops": bare, "normalise": lambda a, d: a} if frame.facts["prepared"] else {}
    return graph.convolution(case, frame, given | steps)[listening(case)]


CONTRACT = Contract(
    name="gcn-layer",
    title="a graph convolution layer",
    file="gcn_layer.py",
    stub=STUB,
    suits=suits,
    adapt=adapt,
    cases=cases,
    reference=reference,
    picture=lambda case, frame, steps: _weights(case, steps),
    mistakes=(*MISTAKES, *BEHAVIOUR),
    conventions=CONVENTIONS,
    laws=(
        laws.steady(usual),
        Law(
            name="neighbours",
            says="only those a node listens to move it",
            test=strangers,
            look="product gather",
        ),
        Law(name="renaming", says="nodes in another order give the same outputs in that order", test=renamed),
        laws.untouched(usual),
        laws.flowing(usual),
    ),
    notices=(isolated,),
)


def _weights(case: Any, steps: Any) -> np.ndarray:
    do = graph.CONVOLUTION | steps
    with np.errstate(all="ignore"):
        a = do["graph"](case["adjacency"])
        whole = do["loops"](a)
        return do["normalise"](whole, do["degree"](a, whole))
