"""Rare inputs of a graph layer: a node that is joined to nothing, and scores that are large and negative."""

from typing import Any

import numpy as np

from regard.checker.contract import Broken, Case, Law, Mistake
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
        slug = "nodes-from-edges" if len(found) == nodes - 1 else ""
        return Broken(number=float(nodes - len(found)), words=words, slug=slug)
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
    for kind, node in (("joined", 0), ("loose", 6), ("loose first", 0)):
        asked = case(rng, subject.facts["width"], kind.partition(" ")[0])
        if kind == "loose first":
            asked.inputs["adjacency"] = asked["adjacency"][::-1, ::-1].copy()
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
    lost = moved["loose first"] > MOVES[subject.kind]
    slug = "nodes-from-edges" if lost else "lone-node-silent"
    return Broken(number=moved["joined"], words=words, slug=slug, weak=not lost)


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


def apart(subject: Subject, rng: np.random.Generator) -> Broken | None:
    """A layer that takes batches answers each of two graphs as if it were alone."""
    if "batch" not in subject.facts["way"] or subject.bench.late or subject.bench.calling:
        return None
    own = subject.facts["way"] == "batch of one"
    one, two = case(rng, subject.facts["width"], "closed"), case(rng, subject.facts["width"], "closed")
    if own:
        two.inputs["adjacency"] = np.ascontiguousarray(one["adjacency"].T)
    alone = [subject.answer(asked) for asked in (one, two)]
    (values, named), (others, _) = subject.enter(one), subject.enter(two)
    try:
        found = first(subject.raw([_stacked(a, b) for a, b in zip(values, others, strict=True)], named))
    except Raised:
        return None  # it is made for one graph
    if not isinstance(found, np.ndarray) or len(found) != 2:
        return None
    for number, (asked, expected) in enumerate(zip((one, two), alone, strict=True)):
        moved = gap(expected, subject.leave(found[number : number + 1], asked))
        if moved > MOVES[subject.kind]:
            words = f"of two graphs in a batch, number {number} gets an answer that differs by {moved:.3g} of its size from what it gets alone"
            return Broken(number=moved, words=words, slug="across-batch")
    return None


def _stacked(one: Any, two: Any) -> Any:
    """What two calls are given, as a batch of two; a graph that is the same for all samples stays as it is."""
    if isinstance(one, dict) and "tuple" in one:
        return {"tuple": [_stacked(a, b) for a, b in zip(one["tuple"], two["tuple"], strict=True)]}
    if isinstance(one, np.ndarray) and one.shape[0] == 1 and one.ndim > 2:
        return np.concatenate([one, two])
    return one


COUNTED = Mistake(
    slug="nodes-from-edges",
    cause="the number of nodes is taken from the edges, as the largest of them: nodes after it that are joined to nothing are lost",
    remedy="take it from the features: x.size(0)",
    look="gather",
)
SILENT = Mistake(
    slug="lone-node-silent",
    cause="a node that is joined to nothing does not hear itself, as the others do: it gets no loop, or a degree of one is taken for none",
    remedy="put a loop at every node; only a degree of zero has the factor 0",
    look="degree gather",
)
ACROSS = Mistake(
    slug="across-batch",
    cause="in a batch of graphs one has an effect on the answer for another: a mask, a sum or a mean is taken from all or from the first",
    remedy="keep the first axis apart: adj[:, None] and not adj[0], dim=-1 and not dim=0 or 1",
    look="mask product softmax",
)
APART = Law(
    name="apart",
    says="one graph of a batch does not see another",
    test=apart,
    look="mask product softmax",
)
