"""Graph layers whose constructor takes the graph: made anew for every graph, with the weights that they have."""

import re
from typing import Any

import numpy as np

from regard.checker.contract import Case
from regard.checker.process.session import Raised
from regard.checker.subject import Arguments, Subject
from regard.checker.workbench import Made, Workbench

GRAPHS = re.compile(
    r"adj|edge_?(index|list|s$)|lapl|^supports?$|^a$|^a_?(norm|hat|tilde)$|^graph$|^norm_a", re.I
)
"Names of a graph among the arguments of a constructor."
LIST = re.compile(r"^supports$|_list$|adjs$|^support$", re.I)
"Names of a list of graphs: here of one."
EPS = 1e-5
"What a batch norm adds to the variance, unless it is told another number."
PRELU = 0.25
"The slope of a PReLU as it starts."
FLAGS = re.compile(r"num|norm(al)?i[sz]e|^use|type|^is|dim|size|_?n$", re.I)


def late(bench: Workbench) -> str:
    """The argument of the constructor that is the graph, where no call takes one."""
    own = bench.member["kind"] == "class" and bench.made is None and bench.making is None
    asks = [p for p in bench.member["forward"] if not p["star"]]
    if not own or len([p for p in asks if p["required"]]) != 1:
        return ""
    names = [p["name"] for p in bench.member["parameters"] if p["required"] and not p["star"]]
    found = [name for name in names if GRAPHS.search(name) and not FLAGS.search(name)]
    return found[0] if len(found) == 1 else ""


def built(bench: Workbench, known: dict[str, Any]) -> Made:
    """The layer; one that is made for a graph, for a small one first, in the first form that it takes."""
    name = late(bench)
    if not name:
        return bench.build(known)
    a = np.eye(5) + np.roll(np.eye(5), 1, axis=1)
    edges = np.argwhere(a != 0)[:, ::-1].T.astype(np.int64).copy()
    first: Raised | None = None
    for graph in ({"tuple": [a]}, a, edges) if LIST.search(name) else (a, edges, {"sparse": a}):
        bench.late = {name: graph}
        try:
            return bench.build(known)
        except Raised as error:
            first = first or error
    assert first
    raise first


def apart(bench: Workbench, arguments: Arguments) -> Arguments:
    """Features and graph, the graph by the name under which the constructor takes it."""
    values, named = arguments
    return (values[:1], named | {next(iter(bench.late)): values[1]}) if bench.late else arguments


def wrapped(bench: Workbench, enter: Any) -> Any:
    """A way to call, for a layer that is made for its graph."""

    def given(case: Case) -> Arguments:
        return apart(bench, enter(case))

    return given if bench.late else enter


def calmed(subject: Subject) -> None:
    """A batch norm inside leaves everything as it is in eval(), a PReLU has the slope it starts with: they are made so.

    Their weights are none of the layer's.
    """
    made = subject.made
    bent = [name for name, owner in made.owners.items() if owner == "PReLU"]
    if bent:
        made.learned = [name for name in made.learned if name not in bent]
        subject.set({name: np.full(made.weights[name].shape, PRELU) for name in bent})
    own = {name for name, owner in made.owners.items() if owner.startswith("BatchNorm")}
    if not own:
        return
    made.learned = [name for name in made.learned if name not in own]
    made.still = {name: value for name, value in made.still.items() if name not in own}
    spread = {n: np.full(made.weights[n].shape, 1 - EPS) for n in own if n.endswith("running_var")}
    made.weights |= spread
    subject.set(spread)
    subject.notes.append("the batch norm inside leaves everything as it is")
