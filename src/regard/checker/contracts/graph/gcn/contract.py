"""A graph convolution layer: neighbours and the node itself, weighed by the roots of their degrees."""

import re
from typing import Any

import numpy as np

from regard.checker import conduct, laws
from regard.checker.contract import ComputationStage, Contract, Convention, Law, WeightMap, forms
from regard.checker.contracts.attention.wiring import BEHAVIOUR
from regard.checker.contracts.graph import reference as graph
from regard.checker.contracts.graph.axes import AXES, ONE
from regard.checker.contracts.graph.conventions import edges_reversed
from regard.checker.contracts.graph.gcn.mistakes import MISTAKES, bare, inverse, literal, safe_ends
from regard.checker.contracts.graph.layer import (
    alone,
    call,
    case,
    cases,
    few_loops,
    growing,
    isolated,
    renamed,
    ring,
    sizes_of,
    strangers,
    unlike,
    usual,
    widths,
)
from regard.checker.contracts.graph.made import PRELU, built, calmed, late
from regard.checker.contracts.graph.normed import CONVOLUTION as NORM
from regard.checker.contracts.graph.normed import parted
from regard.checker.contracts.graph.order import ORDER, SHUFFLED
from regard.checker.contracts.graph.rare import ACROSS, APART, COUNTED, ITSELF, LONELY, SILENT, lone
from regard.checker.contracts.graph.reference import elu, leaky, listening, symmetric
from regard.checker.gradients import flowing
from regard.checker.process.session import Raised
from regard.checker.reading.source import Source
from regard.checker.subject import Subject, draw
from regard.checker.workbench import Unfit, Workbench

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
CONVOLUTIONS = ("Conv1d", "Conv2d")
LOOPS = r"(self|identity)[\s_-]?(loops?|connections?|links?|edges?)"
BRINGS = (
    rf"\badj\w*(\s+matri\w+)?,?\s+(with|including|that (has|have|contains?)|which (has|have|contains?)|has|having)\s+"
    rf"((the|its|their|added|all)\s+)*{LOOPS}|{LOOPS}[^.;\n]{{0,20}}\balready|\balready\b[^.;\n]{{0,30}}{LOOPS}"
    r"|自(连接|链接|环|循环)的邻接矩阵"
)
"What a person says whose adjacency comes with its loops."


CONVENTIONS = (
    Convention(
        slug="self-loops-twice",
        says="A + I is taken literally: a loop that was there already counts twice",
        harmless=True,
        forms=forms({"loops": literal}),
    ),
    Convention(
        slug="bias-propagated",
        says="the bias is added before the neighbours are summed, so that it is spread as well",
        choice="bias=spread",
        forms=forms({"finish": lambda y, a, w: y + a @ np.broadcast_to(w["bias"], (len(a), y.shape[1]))}),
    ),
    Convention(
        slug="degree-side",
        says="on a directed graph the degree of the other end is taken",
        harmless=True,
        forms=forms(
            {"degree": lambda a, looped: looped.sum(0)},
            {"degree": lambda a, looped: looped.sum(1), "normalise": lambda a, d: safe_ends(a)},
            {"degree": lambda a, looped: looped.sum(0), "normalise": lambda a, d: safe_ends(a.T).T},
        ),
    ),
    Convention(
        slug="activation-inside",
        says="an activation is applied to the output inside the layer",
        choice="activation=inside",
        words=r"activation|\bp?relu\b",
        forms=forms(
            {"after": lambda y: np.maximum(y, 0)},
            {"after": elu},
            {"after": lambda y: leaky(y, 0.01)},
            {"after": leaky},
            {"after": lambda y: leaky(y, PRELU)},
            {"after": lambda y: 1 / (1 + np.exp(-y))},
            {"after": np.tanh},
        ),
    ),
    NORM,
    Convention(
        slug="normalised-adjacency",
        says="the layer expects an adjacency that is normalised already",
        mistake="normalisation-missing",
        choice="adjacency=normalised",
        words=r"(pre|already)[\s-]*normali[sz]ed|normali[sz]ed (adj|matrix|laplac)|adj\w*_?(norm|hat|tilde)|a_(hat|tilde|norm)|norm\w*_adj",
    ),
    Convention(
        slug="mean-aggregation",
        says="rows are divided by the degree: a mean over the neighbours and the node itself",
        mistake="row-normalised",
        choice="aggregation=mean",
        words=r"mean aggregation|row[\s_-]?normali[sz]|(mean|average) (of|over) (the |its |all )?neighbou?rs",
        forms=forms({"normalise": lambda a, d: inverse(d, -1)[:, None] * a}),
    ),
    Convention(
        slug="loops-given",
        says="the adjacency brings its own loops, and rows are divided by the degree: a mean over whom it names",
        mistake="row-normalised",
        choice="loops=given",
        hint=BRINGS,
        words=BRINGS,
        forms=forms(
            {"loops": bare, "normalise": lambda a, d: inverse(d, -1)[:, None] * a},
            {"loops": bare, "normalise": lambda a, d: a / d[:, None]},
        ),
    ),
    Convention(
        slug="adjacency-transposed",
        says="column i of the adjacency holds whom node i listens to, not row i",
        mistake="direction-reversed",
        choice="adjacency=transposed",
        words=r"column|from node `?i`? to node `?j`?",
        needs=("dense",),
        forms=forms({"graph": lambda a: a.T}, {"normalise": lambda a, d: symmetric(a.T, d)}),
    ),
    edges_reversed(forms({"graph": lambda a: a.T}, {"normalise": lambda a, d: symmetric(a.T, d)})),
    Convention(slug="isolated-nan", says="a node that is joined to nothing gives NaN", harmless=True),
)


NAMED = re.compile(r"gcn|graph_?conv|^(?!.*(att|aten))(?=.*(conv|falt))(?=.*(gra[fp]|knoten))")
"Names of a graph convolution in some languages."


def suits(member: dict[str, Any], source: str) -> float:
    """A class of graph convolution."""
    name = member["name"].lower()
    if member["kind"] != "class" or not NAMED.search(name):
        return 0.0
    return 0.95 if re.search(r"layer|conv|falt", name) else 0.8


BUILDS = re.compile(
    r"\b(build|comput|mak|form|construct|creat|appl|calculat|assembl|multipl|propagat)\w*\b[^.;\n]{0,30}normali[sz]ed\s\w+",
    re.I,
)
"What a person says who makes the normalised adjacency and does not expect it."


def expects_normalised(bench: Workbench) -> bool:
    """Whether the names or the docstring say that the adjacency comes normalised."""
    names = " ".join([*(p["name"] for p in bench.member["forward"]), late(bench)])
    words = BUILDS.sub("", bench.member["doc"])
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


def decide(source: Source, name: str, slugs: set[str], facts: dict[str, Any]) -> str | None:
    """Of loops that come last and a diagonal that stands alone, a list of edges has the first and a matrix the second."""
    if slugs == {"sum-overwritten", "diagonal-alone"}:
        return "sum-overwritten" if "edges" in facts["way"] else "diagonal-alone"
    return None


def run(bench: Workbench, outputs: int, rng: np.random.Generator) -> tuple[Subject, int, int]:
    """The layer with so many outputs and the way to pass it a graph; the widths that it has."""
    inputs = INPUTS + bench.stretch
    made = built(bench, {"inputs": inputs, "outputs": outputs, "dropout": 0.3, "slope": 0.2, "bias": None})
    width, outputs = sizes_of(made, inputs, outputs)
    return call(bench, made, width, rng, (outputs,)), width, outputs


def flat(value: np.ndarray, owner: str) -> np.ndarray:
    """The matrix of a convolution over one node at a time; anything else as it is.

    >>> flat(np.ones((13, 10, 1)), "Conv1d").shape, flat(np.ones((13, 10, 3)), "Conv1d").shape
    ((13, 10), (13, 10, 3))
    """
    single = owner in CONVOLUTIONS and value.ndim > 2 and set(value.shape[2:]) == {1}
    return value.reshape(value.shape[:2]) if single else value


def adapt(bench: Workbench) -> Subject:
    """Make it, find how the graph is passed, read the weights."""
    rng = np.random.default_rng(7)
    try:
        subject, width, outputs = run(bench, OUTPUTS + bench.stretch, rng)
    except Raised as error:
        if bench.made is not None:
            raise
        subject, width, outputs = run(bench, INPUTS + bench.stretch, rng)
        subject.facts["refused"] = error
    made, trial = subject.made, usual(subject, rng)
    asked = made.built.meant.get("outputs")
    if asked and asked not in made.built.guessed and subject.answer(trial).shape[-1] != outputs:
        raise Unfit(
            "wrong-shape",
            f"{asked} = {outputs} gives an output of width {subject.answer(trial).shape[-1]}",
            "give the weight the shape (inputs, outputs)",
        )
    calmed(subject)
    drawn = draw(made, rng)
    subject.set(drawn)
    subject.facts["drawn"] = drawn
    drawn, norm = parted(drawn, made.owners)
    drawn = {name: flat(value, made.owners[name]) for name, value in drawn.items()}
    matrices = [
        (n, v) for n, v in drawn.items() if v.ndim == 2 and sorted(v.shape) == sorted((width, outputs))
    ]
    if not matrices:
        raise Unfit(
            "unknown-weight",
            f"no weight of shape ({width}, {outputs}) among {', '.join(drawn) or 'none'}",
            "keep the transformation as one matrix",
        )
    name, value = matrices[0]
    flip = made.owners[name] in ("Linear", *CONVOLUTIONS) or (value.shape[0] == outputs and outputs != width)
    w = value.T if flip else value
    biases = [v for n, v in drawn.items() if v.size == outputs and n != name]
    weights = {"w": w, "bias": sum(biases) if biases else np.zeros(outputs)} | norm
    notes = (
        f"transformation = {name}"
        + (
            f", bias = {next(n for n, v in drawn.items() if v.size == outputs and n != name)}"
            if biases
            else ""
        ),
    )
    dense = {"listed": True} if "edges" in subject.facts["way"] else {"dense": True}
    # A list of edges has no numbers that could be normalised.
    subject.facts["prepared"] = "dense" in dense and expects_normalised(bench)
    # Unless the contract's own choice is asked for, a layer may also expect an adjacency that is prepared.
    sole = bench.strict or "dense" not in dense
    ways = (True,) if subject.facts["prepared"] else (False,) if sole else (False, True)
    subject.frames = [
        WeightMap(
            weights=weights,
            facts={"prepared": prepared} | dense,
            notes=notes,
            conventions=("normalised-adjacency",) if prepared else (),
        )
        for prepared in ways
    ]
    return subject


def reference(case: Any, frame: WeightMap, steps: Any) -> np.ndarray:
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
    roles=("adjacency",),
    cases=lambda subject, rng: [*cases(subject, rng), case(rng, subject.facts["width"], "heard")],
    growing=lambda subject, rng: [*growing(subject, rng), *lone(subject, rng)],
    odd=(5, 7, 11, 13, 17),
    stages=(
        ComputationStage(where="with loops alone, where every node gathers from itself", case=alone),
        ComputationStage(where="on a ring, where all degrees are equal", case=ring),
        ComputationStage(where="on a graph whose nodes have different degrees", case=usual),
    ),
    reference=reference,
    picture=lambda case, frame, steps: graph.normalised(case, steps),
    program=graph.CONVOLUTION,
    mistakes=(ORDER, ACROSS, AXES, COUNTED, SILENT, *MISTAKES, *BEHAVIOUR, *conduct.MISTAKES),
    conventions=CONVENTIONS,
    decide=decide,
    laws=(
        laws.afresh(unlike, usual),
        laws.steady(usual),
        Law(
            name="neighbours",
            says="only those a node listens to move it",
            test=strangers,
            look="product gather",
        ),
        SHUFFLED,
        Law(name="renaming", says="nodes in another order give the same outputs in that order", test=renamed),
        Law(name="widths", says="inputs and outputs may differ in width", test=widths, look="product"),
        laws.untouched(few_loops),
        flowing(usual, ("x",)),
        LONELY,
        ONE,
        APART,
        ITSELF,
        *conduct.kept(usual),
    ),
    notices=(isolated,),
)
