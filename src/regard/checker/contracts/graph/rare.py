"""Rare inputs of a graph layer: a node that is joined to nothing, and scores that are large and negative."""

import numpy as np

from regard.checker.contract import Broken, Case, Law
from regard.checker.contracts.graph.layer import case
from regard.checker.gradients import Total, arrays, chosen, told_by_autograd
from regard.checker.laws import MOVES, gap
from regard.checker.process.session import Raised
from regard.checker.subject import Subject, first

STRONG = 1000.0
"So much larger features make scores beside which a zero is no number to compare with."


def strong(subject: Subject, rng: np.random.Generator) -> list[Case]:
    """Large features: the scores of some nodes are all far below zero."""
    asked = case(rng, subject.facts["width"], "joined")
    larger = asked.inputs | {"x": STRONG * asked["x"]}
    facts = {"breaks": "softmax-unstable"}
    return [Case(name=f"features {STRONG:g} times as large", inputs=larger, facts=facts)]


def lonely(subject: Subject, rng: np.random.Generator) -> Broken | None:
    """Held strictly, a node that is joined to nothing has a row, and gradients are finite where the answer is."""
    asked = case(rng, subject.facts["width"], "loose")
    if not (subject.bench.strict and subject.real):
        return None
    values, named = subject.enter(asked)
    try:
        answer = subject.raw(values, named)
    except Raised:
        return None  # told of where answers are compared
    found, nodes = first(answer), len(asked["x"])
    if not isinstance(found, np.ndarray) or not np.isfinite(found).all():
        return None
    if nodes not in found.shape[:2]:
        words = f"{nodes} nodes, of which the last is joined to nothing, give {len(found)} rows"
        return Broken(number=float(nodes - len(found)), words=words)
    parts = chosen(arrays(answer), found.size)
    ways = [rng.standard_normal(arrays(answer)[part].shape) for part in parts]
    try:
        slopes = told_by_autograd(subject, values, named, Total(parts, ways)) if parts else None
    except Raised:
        return None
    every = [one for kind in (slopes or {}).values() for one in kind.values() if one is not None]
    if all(np.isfinite(one).all() for one in every):
        return None
    words = "with a node that is joined to nothing the answer is finite and its gradient is not"
    return Broken(number=np.inf, words=words, slug="gradient-cut")


def lone(subject: Subject, rng: np.random.Generator) -> list[Case]:
    """Held strictly: a graph of one node, which listens to itself."""
    if not subject.bench.strict:
        return []
    x = rng.standard_normal((1, subject.facts["width"]))
    return [Case(name="1 node", inputs={"x": x, "adjacency": np.eye(1)}, facts={"breaks": ""})]


def unheard(subject: Subject, rng: np.random.Generator) -> Broken | None:
    """Held strictly: a layer that puts loops at nodes puts one at a node that is joined to nothing, too."""
    if not subject.bench.strict:
        return None
    moved = {}
    for kind, node in (("joined", 0), ("loose", 6)):
        asked = case(rng, subject.facts["width"], kind)
        x = asked["x"].copy()
        x[node] += rng.standard_normal(x[node].shape)
        rows = []
        for inputs in (asked.inputs, asked.inputs | {"x": x}):
            found = first(subject.raw(*subject.enter(Case(name=asked.name, inputs=inputs))))
            if not isinstance(found, np.ndarray) or found.shape[:1] != (len(x),):
                return None
            rows.append(found[node : node + 1])
        moved[kind] = gap(*rows)
    if not (moved["joined"] > MOVES[subject.kind] and moved["loose"] <= MOVES[subject.kind]):
        return None
    words = "nodes without a loop hear themselves, a node that is joined to nothing does not"
    return Broken(number=moved["joined"], words=words)


ITSELF = Law(
    name="itself",
    says="a node that is joined to nothing hears itself, as the others do",
    test=unheard,
    look="gather",
)
LONELY = Law(
    name="alone",
    says="a node that is joined to nothing has a row of its own and harms no gradient",
    test=lonely,
    look="softmax gather",
)
