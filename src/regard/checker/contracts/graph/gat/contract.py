"""A graph attention layer: each node gathers from those it listens to, with weights it computes."""

import ast
import re
from dataclasses import replace
from typing import Any

import numpy as np

from regard.checker import conduct, laws
from regard.checker.contract import ComputationStage, Contract, Convention, Law, WeightMap, forms
from regard.checker.contracts.attention.calls import on_graph
from regard.checker.contracts.attention.wiring import BEHAVIOUR
from regard.checker.contracts.graph import reference as graph
from regard.checker.contracts.graph.axes import AXES, ONE
from regard.checker.contracts.graph.conventions import edges_reversed, heads_mean
from regard.checker.contracts.graph.gat.branches import branches
from regard.checker.contracts.graph.gat.mistakes import LOOPLESS, SCORE, SECOND, SOFTMAX
from regard.checker.contracts.graph.gat.roles import attention_like, frames
from regard.checker.contracts.graph.gat.shapes import shaped
from regard.checker.contracts.graph.layer import (
    alone,
    call,
    cases,
    equal,
    few_loops,
    growing,
    isolated,
    renamed,
    sizes_of,
    strangers,
    unlike,
    usual,
    widths,
)
from regard.checker.contracts.graph.made import PRELU, built, calmed
from regard.checker.contracts.graph.normed import ATTENTION as NORM
from regard.checker.contracts.graph.normed import parted
from regard.checker.contracts.graph.order import ORDER, SHUFFLED
from regard.checker.contracts.graph.passing import ADDITIVE
from regard.checker.contracts.graph.rare import ACROSS, APART, COUNTED, LONELY, strong
from regard.checker.contracts.graph.reference import elu, leaky, listening
from regard.checker.gradients import flowing
from regard.checker.process.session import Raised
from regard.checker.reading.arguments import ALIASES
from regard.checker.reading.source import Source
from regard.checker.subject import Subject, draw
from regard.checker.workbench import Made, Unfit, Workbench

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
ASKED = re.compile(r"(?i:gat[\s_-]?v2|(\b|_)v2\b|dynamic[\s_-]+attention|brody)|V2(?!\d)")
"What a person says who means GATv2: its name, what it is called for, or who wrote of it."


LOOPS = (
    r"self[\s_-]?loop|add_loops|\bloops?\b[^.;\n]{0,40}\b(at|to|for) (every|each|all)\b"
    r"|\b(every|each|all) \w+ [^.;\n]{0,30}\bloops?\b|\b(listens?|hears?|attends?) to itself"
)
"What a person says who puts a loop at every node."


def activation(function: Any) -> dict:
    """Something applied to the output."""
    return {"after": function}


CONVENTIONS = (
    Convention(
        slug="self-loops-added",
        says="a loop is added at every node",
        choice="loops=added",
        words=LOOPS,
        forms=forms({"graph": lambda a: np.maximum((a > 0).astype(float), np.eye(len(a)))}),
    ),
    Convention(
        slug="self-loops-twice",
        says="loops are added although some are there: those nodes count themselves twice",
        choice="loops=twice",
        forms=forms({"graph": lambda a: (a > 0) + np.eye(len(a))}),
    ),
    Convention(
        slug="gatv2",
        says="the LeakyReLU comes before the attention vector: this is GATv2, as the source says",
        words=ASKED.pattern,
        forms=SECOND,
        asked=lambda words: bool(ASKED.search(words)),
    ),
    Convention(
        slug="activation-inside",
        says="an activation is applied to the output inside the layer",
        choice="activation=inside",
        words=r"activation|\belu\b|\bp?relu\b|\btanh\b",
        forms=forms(
            activation(elu),
            activation(lambda y: np.maximum(y, 0)),
            activation(lambda y: leaky(y, 0.2)),
            activation(lambda y: leaky(y, 0.01)),
            activation(lambda y: leaky(y, PRELU)),
            activation(np.tanh),
            activation(lambda y: 1 / (1 + np.exp(-y))),
        ),
    ),
    Convention(
        slug="heads-interleaved",
        says="heads take every h-th channel",
        harmless=True,
        forms=forms({"merge": lambda y: y.swapaxes(1, 2).reshape(len(y), -1)}),
    ),
    Convention(
        slug="halves-swapped",
        says="the first half of the attention vector belongs to the neighbour and the second to the node itself",
        harmless=True,
    ),
    Convention(slug="attention-shared", says="one attention vector serves all heads", harmless=True),
    Convention(
        slug="score-negated",
        says="the weights are exp of minus the score: small scores weigh most",
        choice="score=negated",
        forms=forms({"bend": lambda bent, *ends: -bent}),
    ),
    Convention(
        slug="adjacency-transposed",
        says="column i of the adjacency holds whom node i listens to, not row i",
        mistake="direction-reversed",
        choice="adjacency=transposed",
        words=r"column|from node `?i`? to node `?j`?",
        needs=("dense",),
        forms=forms({"graph": lambda a: (a.T > 0).astype(float)}),
    ),
    edges_reversed(forms({"graph": lambda a: (a.T > 0).astype(float)})),
    heads_mean(forms({"merge": lambda y: y.mean(1)})),
    NORM,
    Convention(
        slug="graph-additive",
        says="the graph comes as a mask that is added to the scores: 0 for an edge, minus infinity for none",
        choice="graph=additive",
        words=r"mask|-inf\b|additive",
    ),
    Convention(
        slug="isolated-nan",
        says="a node that is joined to nothing gives NaN; a loop at every node avoids it",
        harmless=True,
    ),
)


NAMED = re.compile(r"GAT|Gat(?!e)|(^|_)gat(?!e)|gat(v?\d|_?(layer|conv|head)|$)")
"Names of graph attention, by its letters alone: not those in the middle of a word, as in StreamingAttention."


UNMERGED = {"finish": lambda y, w: y, "after": lambda y: y}
"Steps behind the weights, which a picture of these leaves out."


def suits(member: dict[str, Any], source: str) -> float:
    """A class of graph attention."""
    name = member["name"].lower()
    if member["kind"] != "class":
        return 0.0
    if not (NAMED.search(member["name"]) or re.search(r"^(?=.*(att|aten|aufmerk))(?=.*gra[fp])", name)):
        heard = on_graph(member["forward"]) and re.search(r"leaky", source + member["parts"], re.I)
        return 0.6 if heard and "att" in name else 0.0
    return 0.95 if re.search(r"layer|conv|head|att", name) else 0.9 if "ModuleList" not in source else 0.7


def _added(source: Source, name: str) -> bool:
    """Whether a LeakyReLU stands on both sides of a sum."""

    def bent(node: ast.AST) -> bool:
        calls = [n for n in ast.walk(node) if isinstance(n, ast.Call)]
        return any(re.search(r"leaky|relu|act", ast.unparse(call.func), re.I) for call in calls)

    sums = (
        n for n in ast.walk(source.member(name)) if isinstance(n, ast.BinOp) and isinstance(n.op, ast.Add)
    )
    return any(bent(n.left) and bent(n.right) for n in sums)


def decide(source: Source, name: str, slugs: set[str], facts: dict[str, Any]) -> str | None:
    """Some mistakes are the same function: the source, and which weights gradients reach, tell them apart."""
    if slugs == {"leaky-missing", "leaky-after-softmax"}:
        return (
            "leaky-after-softmax"
            if re.search(r"(leaky|relu|act)\w*\(", source.running(name), re.I)
            else "leaky-missing"
        )
    if slugs == {"target-term-missing", "leaky-of-parts"}:
        return "leaky-of-parts" if _added(source, name) else "target-term-missing"
    if slugs == {"source-term-missing", "attention-unused"} and "unreached" in facts:
        return (
            "attention-unused"
            if any(attention_like(name) for name in facts["unreached"])
            else "source-term-missing"
        )
    return None


def make(bench: Workbench, dropout: float = 0.3, inputs: int = 0) -> Made:
    """The layer, with dropout asked for."""
    return built(
        bench,
        {
            "inputs": inputs or INPUTS + bench.stretch,
            "outputs": OUTPUTS + bench.stretch,
            "heads": HEADS,
            "dropout": dropout,
            "slope": 0.2,
            "concat": True,
            "bias": None,
            "residual": False,
            "shared": False,
        },
    )


def heads_of(made: Made, bench: Workbench) -> int:
    """How many heads it has."""
    if "heads" in bench.said:
        return int(bench.said["heads"])
    if "heads" in made.built.meant:
        return made.built.given("heads")
    told = (v for n, v in made.numbers.items() if n.lower() in ALIASES["heads"] and isinstance(v, int))
    return next(told, shown(made))


def shown(made: Made) -> int:
    """How many heads the weights show: a number that it keeps, one vector or two for each, as wide as a transformation in all."""
    held = [made.weights[name] for name in made.learned]
    wide = {length for value in held if value.ndim == 2 for length in value.shape}
    for value in (value for value in held if value.ndim in (2, 3)):
        for heads in value.shape[:2]:
            whole = {value.size, value.size // 2} & wide
            if heads > 1 and heads in made.numbers.values() and any(each % heads == 0 for each in whole):
                return heads
    return 1


def readings(drawn: dict[str, np.ndarray], made: Made, bench: Workbench, width: int) -> list[WeightMap]:
    """Its weights as their names say, then as their shapes allow."""
    spare = shaped(drawn, made.owners, width)
    try:
        return [
            *frames(drawn, made.owners, width=width, heads=heads_of(made, bench), said=bench.said),
            *spare,
        ]
    except Unfit:
        if not spare:
            raise
        return spare


def adapt(bench: Workbench) -> Subject:
    """Make it, find how the graph is passed, read the weights."""
    rng = np.random.default_rng(7)
    try:
        made = make(bench)
        width, outputs = sizes_of(made, INPUTS + bench.stretch, OUTPUTS + bench.stretch)
        subject = call(bench, made, width, rng, (outputs, HEADS * outputs, HEADS))
    except Raised as error:
        if bench.made is not None:
            raise
        width = OUTPUTS + bench.stretch
        made = make(bench, inputs=width)
        subject = call(bench, made, width, rng)
        subject.facts["refused"] = error
    trial = usual(subject, rng)
    if "dropout" in made.built.meant and (noise := laws.unsteady(subject, trial)):
        made = make(bench, 0.0, width)
        subject = call(bench, made, width, rng)
        subject.facts["unsteady"] = noise
    calmed(subject)
    drawn = draw(made, rng, size=1.2)
    subject.set(drawn)
    subject.facts["drawn"] = drawn
    own, norm = parted(drawn, made.owners)
    found = readings(own, made, bench, width)
    way = subject.facts["way"]
    added = ("graph-additive",) if way == ADDITIVE else ()
    dense = {"listed": True} if "edges" in way else {"dense": True}
    subject.frames = [
        replace(f, weights=f.weights | norm, facts=f.facts | dense, conventions=(*f.conventions, *added))
        for f in found
    ]
    return subject


CONTRACT = Contract(
    name="gat-layer",
    title="a graph attention layer",
    file="gat_layer.py",
    stub=STUB,
    suits=suits,
    adapt=adapt,
    roles=("w", "a", "heads"),
    cases=cases,
    growing=lambda subject, rng: [*growing(subject, rng), *strong(subject, rng)],
    odd=(3, 9, 15, 21),
    stages=(
        ComputationStage(where="with loops alone, where every node gathers from itself", case=alone),
        ComputationStage(where="with equal nodes, where all weights are equal", case=equal),
        ComputationStage(where="with different nodes", case=usual),
    ),
    reference=lambda case, frame, steps: graph.attention(case, frame, steps)[0][listening(case)],
    picture=lambda case, frame, steps: graph.attention(case, frame, steps | UNMERGED)[1][-1],
    program=graph.ATTENTION,
    mistakes=(ORDER, ACROSS, AXES, COUNTED, *SOFTMAX, LOOPLESS, *SCORE, *BEHAVIOUR, *conduct.MISTAKES),
    conventions=CONVENTIONS,
    decide=decide,
    laws=(
        laws.afresh(unlike, usual),
        laws.steady(usual),
        Law(
            name="neighbours",
            says="only those a node listens to move it",
            test=strangers,
            look="mask softmax gather",
        ),
        SHUFFLED,
        Law(name="renaming", says="nodes in another order give the same outputs in that order", test=renamed),
        Law(
            name="both ways",
            says="made so that heads are not side by side, they are averaged",
            test=branches,
            look="mean concatenate",
        ),
        Law(name="widths", says="inputs and outputs may differ in width", test=widths, look="product"),
        laws.untouched(few_loops),
        laws.finite(usual, ("x",), 300.0),
        laws.lasting(usual, ("x",), 300.0),
        flowing(usual, ("x",)),
        LONELY,
        ONE,
        APART,
        *conduct.kept(usual),
    ),
    notices=(isolated,),
)
