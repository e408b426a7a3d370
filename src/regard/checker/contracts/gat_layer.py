"""A graph attention layer: each node gathers from those it listens to, with weights it computes."""

import re
from typing import Any

import numpy as np

from regard.checker import laws
from regard.checker.arguments import ALIASES
from regard.checker.bench import Bench, Made
from regard.checker.contract import Contract, Convention, Law, Mistake, each, forms
from regard.checker.contracts.attention_mistakes import BEHAVIOUR
from regard.checker.contracts.gat_roles import attention_like, frames
from regard.checker.contracts.graph_layer import call, cases, isolated, renamed, strangers, usual
from regard.checker.references import graph
from regard.checker.references.graph import ATTENTION, elu, leaky, listening, over
from regard.checker.session import Raised
from regard.checker.subject import Subject, draw

STUB = '''"""A graph attention layer, to be filled in. Then: regard check gat_layer.py"""

import torch
from torch import nn
from torch.nn import functional as F


class GATLayer(nn.Module):
    """Each node gathers from its neighbours, with weights it computes from their features and its own.

    x is (n, inputs); edge_index is (2, e): row 0 sources, row 1 targets; the target gathers from the source.
    With h heads of width d, W of shape (inputs, h * d) and, for each head, a of length 2 d:

        e_ij  = LeakyReLU(a . [W x_i, W x_j], slope 0.2)    for every edge from j to i
        w_ij  = softmax of e_ij over the neighbours j of i
        y_i   = sum over j of w_ij W x_j                    heads side by side: (n, h * d)
    """

    def __init__(self, inputs: int, outputs: int, heads: int = 1, slope: float = 0.2) -> None:
        super().__init__()
        self.heads, self.slope = heads, slope
        self.W = nn.Parameter(torch.empty(inputs, heads * outputs))
        self.a = nn.Parameter(torch.empty(heads, 2 * outputs))
        self.bias = nn.Parameter(torch.zeros(heads * outputs))
        nn.init.xavier_uniform_(self.W)
        nn.init.xavier_uniform_(self.a)

    def forward(self, x: torch.Tensor, edge_index: torch.Tensor) -> torch.Tensor:
        raise NotImplementedError("fill me in")
'''

INPUTS, OUTPUTS, HEADS = 10, 12, 3


SOFTMAX = (
    Mistake(
        slug="softmax-all-edges",
        cause="one softmax runs over all edges of the graph, so the weights of one node do not sum to one",
        remedy="one softmax for each target node: over the edges that end in it (dense: over the last axis)",
        look="softmax exponential",
        forms=forms(
            {"normalise": lambda e, a: over(e, np.broadcast_to(a, e.shape), (-2, -1))},
            {"normalise": lambda e, a: over(e, np.broadcast_to(a, e.shape), (0, 1, 2))},
        ),
    ),
    Mistake(
        slug="softmax-sources",
        cause="the softmax runs over the wrong end: over the nodes that listen to a source, not over the sources of a node",
        remedy="normalise over the edges with the same target (dense, with rows as listeners: dim=-1)",
        look="softmax exponential gather",
        forms=forms({"normalise": lambda e, a: over(e, np.broadcast_to(a, e.shape), -2)}),
    ),
    Mistake(
        slug="softmax-heads",
        cause="the softmax runs over the heads instead of the neighbours",
        remedy="softmax over the neighbours of each node",
        look="softmax exponential",
        forms=forms({"normalise": lambda e, a: over(e, np.broadcast_to(a, e.shape), 0)}),
    ),
    Mistake(
        slug="softmax-missing",
        cause="the scores weigh as they are: there is no softmax",
        remedy="softmax over the neighbours of each node",
        look="product leaky",
        forms=forms({"normalise": lambda e, a: e * a}),
    ),
    Mistake(
        slug="softmax-unnormalised",
        cause="the exponentials are not divided by their sum over the neighbours",
        remedy="divide by the sum over the edges that end in the node",
        look="exponential",
        forms=forms(
            {"normalise": lambda e, a: np.exp(e) * a},
            {
                "normalise": lambda e, a: (
                    np.exp(e - np.where(a > 0, e, -np.inf).max((1, 2), keepdims=True)) * a
                )
            },
        ),
    ),
    Mistake(
        slug="softmax-unstable",
        cause="exp is taken of the scores as they are, so that large scores overflow",
        remedy="take the largest score off first",
        look="exponential",
    ),
    Mistake(
        slug="mask-ignored",
        cause="every node gathers from every node: the graph has no effect on the weights",
        remedy="scores.masked_fill(adj == 0, float('-inf')) before the softmax",
        look="softmax mask",
        forms=forms({"graph": np.ones_like}),
    ),
    Mistake(
        slug="mask-zero-fill",
        cause="scores of nodes that are no neighbours become 0 instead of minus infinity, so they still weigh",
        remedy="scores.masked_fill(adj == 0, float('-inf'))",
        look="mask masked",
        forms=forms({"normalise": lambda e, a: over(np.where(a > 0, e, 0.0), np.ones(e.shape))}),
    ),
    Mistake(
        slug="mask-after-softmax",
        cause="the softmax runs over all nodes and the others are zeroed afterwards, so the weights do not sum to one",
        remedy="hide the others before the softmax, with minus infinity",
        look="mask masked",
        forms=forms({"normalise": lambda e, a: over(e, np.ones(e.shape)) * (a > 0)}),
    ),
    Mistake(
        slug="direction-reversed",
        cause="source and target are exchanged: a node gathers from those who listen to it",
        remedy="edge_index[0] are sources and edge_index[1] targets: gather x[source], add at target (dense: row i holds whom i listens to)",
        look="gather product",
        forms=forms({"graph": lambda a: (a.T > 0).astype(float)}),
    ),
)


def scored(change: Any) -> dict:
    """A mistake in the score."""
    return {"score": change}


SCORE = (
    Mistake(
        slug="leaky-missing",
        cause="there is no LeakyReLU on the scores: the node's own part then cancels in the softmax",
        remedy="LeakyReLU(score, 0.2) before the softmax",
        look="softmax product",
        forms=forms({"activate": lambda e: e}),
    ),
    Mistake(
        slug="leaky-slope",
        cause="the LeakyReLU has another slope than 0.2 (torch's default is 0.01)",
        remedy="F.leaky_relu(score, 0.2)",
        look="leaky",
        forms=each(
            (0.01, 0.1, 0.3, 0.5, 0.05, 0.02, 0.25), lambda slope: {"activate": lambda e: leaky(e, slope)}
        ),
    ),
    Mistake(
        slug="relu-for-leaky",
        cause="ReLU stands where LeakyReLU should be: all negative scores become equal",
        remedy="F.leaky_relu(score, 0.2)",
        look="leaky",
        forms=forms({"activate": lambda e: np.maximum(e, 0)}),
    ),
    Mistake(
        slug="leaky-after-softmax",
        cause="the LeakyReLU comes after the softmax, where nothing is negative: it does nothing",
        remedy="LeakyReLU first, then softmax",
        look="leaky softmax",
        forms=forms(
            {"activate": lambda e: e, "keep": lambda alpha, a: leaky(alpha)},
        ),
    ),
    Mistake(
        slug="raw-features",
        cause="the inputs themselves are averaged, not their transformation",
        remedy="sum w_ij W x_j",
        look="product gather",
        forms=forms(
            {"mix": lambda alpha, h, x: np.einsum("hij,jf->ihf", alpha, x)},
            {"mix": lambda alpha, h, x: np.einsum("hij,jhf->ihf", alpha, x.reshape(len(x), h.shape[1], -1))},
        ),
    ),
    Mistake(
        slug="heads-averaged",
        cause="the heads are averaged or summed where they should stand side by side",
        remedy="flatten the heads: y.reshape(n, heads * d); average only in a last layer",
        look="mean concatenate",
        forms=forms({"merge": lambda y: y.mean(1)}, {"merge": lambda y: y.sum(1)}),
    ),
    Mistake(
        slug="heads-share-attention",
        cause="all heads use the attention vector of one head",
        remedy="give each head its own vector: (Wh * a).sum(-1) with a of shape (heads, d)",
        look="product",
        forms=forms({"vectors": lambda t, s: (np.repeat(t[:1], len(t), 0), np.repeat(s[:1], len(s), 0))}),
    ),
    Mistake(
        slug="heads-share-weight",
        cause="all heads use the transformation of one head",
        remedy="W maps to heads * d channels: view(n, heads, d)",
        look="view product",
        forms=forms(
            {"transform": lambda x, w: np.repeat(ATTENTION["transform"](x, w)[:, :1], w["w"].shape[1], 1)}
        ),
    ),
    Mistake(
        slug="source-term-missing",
        cause="the score ignores the neighbour: all neighbours of a node weigh the same",
        remedy="a . [W x_i, W x_j]: both ends count",
        look="product concatenate",
        forms=forms(
            scored(lambda h, t, s, b: np.repeat(np.einsum("nhd,hd->hn", h, t)[:, :, None], len(h), 2) + b)
        ),
    ),
    Mistake(
        slug="target-term-missing",
        cause="the score ignores the node itself: every node ranks its neighbours alike",
        remedy="a . [W x_i, W x_j]: both ends count",
        look="product concatenate",
        forms=forms(
            scored(lambda h, t, s, b: np.repeat(np.einsum("nhd,hd->hn", h, s)[:, None], len(h), 1) + b),
            scored(lambda h, t, s, b: np.repeat(np.einsum("nhd,hd->hn", h, t + s)[:, None], len(h), 1) + b),
        ),
    ),
    Mistake(
        slug="attention-unused",
        cause="all neighbours weigh the same: the attention scores are not used",
        remedy="weigh each neighbour by its softmax",
        look="softmax product",
        forms=forms(
            {"normalise": lambda e, a: np.broadcast_to(a / np.maximum(a.sum(1, keepdims=True), 1), e.shape)}
        ),
    ),
    Mistake(
        slug="bias-dropped",
        cause="the bias exists and is never added",
        remedy="add self.bias to the result",
        look="bias product",
        forms=forms({"finish": lambda y, w: y}),
    ),
    Mistake(
        slug="not-equivariant",
        cause="the output depends on how the nodes are numbered",
        remedy="use no node index as a feature, and no order of the edges",
    ),
)


def activation(function: Any) -> dict:
    """Something applied to the output."""
    return {"after": function}


CONVENTIONS = (
    Convention(
        slug="self-loops-added",
        says="a loop is added at every node",
        forms=forms({"graph": lambda a: np.maximum((a > 0).astype(float), np.eye(len(a)))}),
    ),
    Convention(
        slug="self-loops-twice",
        says="loops are added although some are there: those nodes count themselves twice",
        forms=forms({"graph": lambda a: (a > 0) + np.eye(len(a))}),
    ),
    Convention(
        slug="gatv2",
        says="the LeakyReLU comes before the attention vector: this is GATv2",
        forms=forms(
            {
                "score": lambda h, t, s, b: (
                    np.einsum("nhd,hd->hn", leaky(h), t)[:, :, None]
                    + np.einsum("nhd,hd->hn", leaky(h), s)[:, None]
                    + b
                ),
                "activate": lambda e: e,
            },
            {
                "score": lambda h, t, s, b: np.einsum("ijhd,hd->hij", leaky(h[:, None] + h[None]), s) + b,
                "activate": lambda e: e,
            },
        ),
    ),
    Convention(
        slug="activation-inside",
        says="an activation is applied to the output inside the layer",
        forms=forms(
            activation(elu),
            activation(lambda y: np.maximum(y, 0)),
            activation(lambda y: leaky(y, 0.2)),
            activation(lambda y: leaky(y, 0.01)),
            activation(lambda y: 1 / (1 + np.exp(-y))),
        ),
    ),
    Convention(
        slug="heads-interleaved",
        says="heads take every h-th channel",
        forms=forms({"merge": lambda y: y.swapaxes(1, 2).reshape(len(y), -1)}),
    ),
    Convention(
        slug="halves-swapped",
        says="the first half of the attention vector belongs to the neighbour and the second to the node itself",
    ),
    Convention(slug="attention-shared", says="one attention vector serves all heads"),
    Convention(
        slug="isolated-nan", says="a node that is joined to nothing gives NaN; a loop at every node avoids it"
    ),
)


def suits(member: dict[str, Any], source: str) -> float:
    """A class of graph attention."""
    name = member["name"].lower()
    if member["kind"] != "class" or not re.search(r"gat(?!e)|graph_?att|graphatt", name):
        return 0.0
    return 0.95 if re.search(r"layer|conv|head|att", name) else 0.9 if "ModuleList" not in source else 0.7


def decide(source: str, slugs: set[str], facts: dict[str, Any]) -> str | None:
    """Some mistakes are the same function: the source, and which weights gradients reach, tell them apart."""
    if slugs == {"leaky-missing", "leaky-after-softmax"}:
        return "leaky-after-softmax" if re.search(r"leaky", source, re.I) else "leaky-missing"
    if slugs == {"source-term-missing", "attention-unused"} and "unreached" in facts:
        return (
            "attention-unused"
            if any(attention_like(name) for name in facts["unreached"])
            else "source-term-missing"
        )
    return None


def make(bench: Bench, dropout: float = 0.3, inputs: int = INPUTS) -> Made:
    """The layer, with dropout asked for."""
    return bench.build(
        {
            "inputs": inputs,
            "outputs": OUTPUTS,
            "heads": HEADS,
            "dropout": dropout,
            "slope": 0.2,
            "concat": True,
            "bias": None,
        }
    )


def heads_of(made: Made, bench: Bench) -> int:
    """How many heads it has."""
    if "heads" in bench.said:
        return int(bench.said["heads"])
    if "heads" in made.built.meant:
        return HEADS
    return next(
        (v for n, v in made.numbers.items() if n.lower() in ALIASES["heads"] and isinstance(v, int)), 1
    )


def adapt(bench: Bench) -> Subject:
    """Make it, find how the graph is passed, read the weights."""
    rng = np.random.default_rng(7)
    made, width = make(bench), INPUTS
    try:
        subject = call(bench, made, width, rng)
    except Raised:
        width = OUTPUTS
        made = make(bench, inputs=width)
        subject = call(bench, made, width, rng)
    trial = usual(subject, rng)
    if "dropout" in made.built.meant and (noise := laws.unsteady(subject, trial)):
        made = make(bench, 0.0, width)
        subject = call(bench, made, width, rng)
        subject.facts["unsteady"] = noise
    drawn = draw(made.weights, made.learned, rng, size=2.0)
    subject.set(drawn)
    subject.facts["drawn"] = drawn
    subject.frames = frames(drawn, made.owners, width=width, heads=heads_of(made, bench), said=bench.said)
    return subject


CONTRACT = Contract(
    name="gat-layer",
    title="a graph attention layer",
    file="gat_layer.py",
    stub=STUB,
    suits=suits,
    adapt=adapt,
    cases=cases,
    reference=lambda case, frame, steps: graph.attention(case, frame, steps)[0][listening(case)],
    picture=lambda case, frame, steps: graph.attention(case, frame, steps)[1][0],
    mistakes=(*SOFTMAX, *SCORE, *BEHAVIOUR),
    conventions=CONVENTIONS,
    decide=decide,
    laws=(
        laws.steady(usual),
        Law(
            name="neighbours",
            says="only those a node listens to move it",
            test=strangers,
            look="mask softmax gather",
        ),
        Law(name="renaming", says="nodes in another order give the same outputs in that order", test=renamed),
        laws.untouched(usual),
        laws.finite(lambda s, rng: _large(s, rng), "softmax-unstable", "features of size 300"),
        laws.flowing(usual),
    ),
    notices=(isolated,),
)


def _large(subject: Subject, rng: np.random.Generator) -> Any:
    asked = usual(subject, rng)
    return type(asked)(name=asked.name, inputs=asked.inputs | {"x": asked["x"] * 300})
