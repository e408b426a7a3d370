"""How a person's graph layer is called: with a matrix or with a list of edges."""

import ast
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from regard.checker import laws
from regard.checker.contract import Broken, Case
from regard.checker.contracts.graph.axes import confused, turned
from regard.checker.contracts.graph.conventions import DIRECTIONS
from regard.checker.contracts.graph.made import wrapped
from regard.checker.contracts.graph.passing import (
    ADDITIVE,
    BATCHES,
    ENDS,
    GRAPH,
    OTHERWISE,
    callings,
    refuses,
    whole,
)
from regard.checker.contracts.graph.reference import listening
from regard.checker.process.session import Raised
from regard.checker.reading.arguments import mean
from regard.checker.subject import Subject, first, larger
from regard.checker.trouble import short
from regard.checker.workbench import Made, Unfit, Workbench

LOOSE = ((0, 1), (1, 0), (0, 3), (2, 2), (2, 1), (3, 4), (4, 0), (4, 5), (5, 2), (1, 5), (3, 2))
"Node i listens to j: directed, irregular, one two-way street, one loop; node 6 is alone."
CLOSED = ((0, 2), (0, 4), (1, 0), (2, 3), (2, 1), (3, 0), (4, 3), (4, 1), (2, 4))
"Every node has a loop as well."


def adjacency(edges: tuple[tuple[int, int], ...], nodes: int, *, loops: bool = False) -> np.ndarray:
    """Edges as a matrix."""
    a = np.zeros((nodes, nodes))
    for i, j in edges:
        a[i, j] = 1.0
    return np.maximum(a, np.eye(nodes)) if loops else a


def case(rng: np.random.Generator, width: int, kind: str) -> Case:
    """Node features on a graph: with a node alone, without, with loops everywhere, with a node that listens to nobody."""
    a = {
        "loose": adjacency(LOOSE, 7),
        "joined": adjacency(LOOSE, 6),
        "closed": adjacency(CLOSED, 5, loops=True),
        "heard": adjacency(tuple(edge for edge in LOOSE if edge[0] != 5), 6),
    }[kind]
    x = rng.standard_normal((len(a), width)) * 1.5
    facts = {"rare": "a node that is joined to nothing"} if kind == "loose" else {}
    return Case(name=f"{len(a)} nodes, {int(a.sum())} edges", inputs={"x": x, "adjacency": a}, facts=facts)


def sizes_of(made: Made, inputs: int, outputs: int) -> tuple[int, int]:
    """Widths of input and output: as asked; else as an object, or a class of fixed sizes, says or shows."""
    told = {
        meaning: [v for n, v in made.numbers.items() if type(v) is int and mean(n, [meaning])]
        for meaning in ("inputs", "outputs")
    }
    shapes = [made.weights[name].shape for name in made.learned if made.weights[name].ndim == 2]
    linear = [made.weights[name].shape[::-1] for name in made.learned if _is_linear(made, name)]
    shown = (*linear, *shapes, (inputs, outputs))[0]
    found = []
    for place, (meaning, asked) in enumerate((("inputs", inputs), ("outputs", outputs))):
        if meaning in made.built.meant:
            found.append(asked)
        else:
            found.append(told[meaning][-1] if told[meaning] else shown[place])
    return found[0], found[1]


def _is_linear(made: Made, name: str) -> bool:
    return made.owners[name] == "Linear" and made.weights[name].ndim == 2


def leave(answer: Any, asked: Case) -> np.ndarray:
    """Outputs of the nodes that are joined to anything, heads side by side."""
    found = first(answer)
    if not isinstance(found, np.ndarray):
        return found
    nodes = len(asked["x"])
    if found.ndim == 4 and found.shape[:3] == (1, 1, nodes):
        found = found[0]
    if found.ndim == 3 and found.shape[0] == 1 and found.shape[1] == nodes:
        found = found[0]
    if found.ndim == 3 and found.shape[0] == nodes:
        found = found.reshape(nodes, -1)
    return found[listening(asked)] if found.shape[:1] == (nodes,) else found


def call(
    bench: Workbench, made: Made, width: int, rng: np.random.Generator, sizes: tuple[int, ...] = ()
) -> Subject:
    """The first way to call that gives one row for each node; `sizes` are those of its other axes."""
    error: Raised | None = None
    fallback: Subject | None = None
    allowed = [
        (way, wrapped(bench, enter))
        for way, enter in whole(made, bench.source.text_of(bench.name)) or callings(made)
        if way != ADDITIVE or _adds(bench)
    ]
    if BATCHES.search(bench.source.said(bench.name)):
        allowed.sort(key=lambda pair: "batch" not in pair[0])
    ways = [way for way, _ in allowed]
    bench.doubts += ["two arguments taken for the ends of edges"] if ways == [ENDS] else []
    for way, enter in allowed:
        if fallback and way not in OTHERWISE:
            continue  # what runs and is not local may only be meant otherwise
        subject = Subject(bench, made, enter, leave)
        trial = case(rng, width, "closed")
        try:
            bench.precise(made, *enter(trial))
            if subject.answer(trial).ndim != 2 or len(subject.answer(trial)) != len(trial["x"]):
                continue
        except Raised as trouble:
            error = error or trouble
            continue
        subject.facts |= {"width": width, "way": way}
        subject.notes.append(f"the graph passed as: {way}")
        if "batch" in way and error and not bench.stretch:
            single = [pair for pair in allowed[: ways.index(way)] if "batch" not in pair[0]]
            subject.facts["confused"] = confused(partial(runs, bench, made, single), width, sizes, rng, error)
            bench.precise(made, *enter(trial))
        if (bench.strict and "edges" not in way) or _local(subject):
            return subject
        fallback = fallback or subject
        if not set(OTHERWISE) & set(ways[ways.index(way) + 1 :]):
            break
    if fallback:
        bench.precise(made, *fallback.enter(case(rng, width, "closed")))
        return fallback
    raise refusal(bench, partial(runs, bench, made, allowed), width, rng, error, sizes)


def refusal(
    bench: Workbench,
    tried: Callable[[Case], Iterator[Subject]],
    width: int,
    rng: np.random.Generator,
    error: Raised | None,
    sizes: tuple[int, ...],
) -> Raised | Unfit:
    """Why no way to pass a graph was taken: a size of the wrong axis, another layout, or what it raises."""
    if error is None:
        return Raised("ValueError", "no way to pass a graph gives one row for each node", None, "")
    if refuses(bench, error):
        sentence = f"no way to pass it a graph was taken: {error.kind}: {short(error.words)}"
        return Unfit("not-understood", sentence, f"say it in one line: --call '{bench.name}(…)'", error.line)
    if not bench.stretch:
        if found := confused(tried, width, sizes, rng, error):
            return found
        if turned(tried, width, rng):
            sentence = "it runs where columns are nodes: features (features, nodes) and not (nodes, features)"
            return Unfit("not-understood", sentence, "take features as (nodes, features)", error.line)
    return error


def runs(bench: Workbench, made: Made, ways: list[tuple[str, Any]], asked: Case) -> Iterator[Subject]:
    """The ways to call that run on a case."""
    for _, enter in ways:
        try:
            bench.precise(made, *enter(asked))
        except Raised:
            continue
        yield Subject(bench, made, enter, leave)


def sized(made: Made) -> bool:
    """Whether it was made with a width for inputs and another for outputs, both by name."""
    meant = made.built.meant
    named = {meant.get("inputs"), meant.get("outputs")}
    return len(named - {None, *made.built.guessed}) == 2


def widths(subject: Subject, rng: np.random.Generator) -> Broken | None:
    """Inputs and outputs may differ in width, as they were asked to."""
    error = subject.facts.get("refused")
    if error is None or not sized(subject.made):
        return None
    words = f"more features in than out: {error.kind}: {short(error.words)}"
    return Broken(number=np.inf, words=words)


def _adds(bench: Workbench) -> bool:
    """Whether the code adds anything that is called as a graph is: else no graph of it is a mask that is added."""
    for node in ast.walk(bench.source.member(bench.name)):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            sides: list[ast.expr] = [node.left, node.right]
        elif isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Add):
            sides = [node.value]
        else:
            continue
        if any(isinstance(n, ast.Name) and GRAPH.search(n.id) for side in sides for n in ast.walk(side)):
            return True
    return False


def _local(subject: Subject) -> bool:
    """Whether the graph is heard in this way, by an object that was never called if not by this one."""
    return _heard(subject) or _heard(replace(subject, fresh=True))


def _heard(subject: Subject) -> bool:
    """Only those a node listens to, or who listen to it, move it."""
    try:
        rng = np.random.default_rng(5)
        if strangers(subject, rng) is None:
            return True
        turned = Subject(
            subject.bench,
            subject.made,
            lambda c: subject.enter(_turned(c)),
            leave,
            facts=subject.facts,
            fresh=subject.fresh,
        )
        return strangers(turned, rng) is None
    except Raised:
        return False


def _turned(asked: Case) -> Case:
    return Case(name=asked.name, inputs=asked.inputs | {"adjacency": asked["adjacency"].T.copy()})


def cases(subject: Subject, rng: np.random.Generator) -> list[Case]:
    """With a node that is alone, without one, and with loops everywhere."""
    return [case(rng, subject.facts["width"], kind) for kind in ("loose", "closed", "joined")]


def growing(subject: Subject, rng: np.random.Generator) -> list[Case]:
    """More nodes, few of them with loops, one with many neighbours; each listens to somebody."""
    found = []
    for nodes in larger(subject, rng):
        a = np.maximum((rng.random((nodes, nodes)) < 0.15).astype(float), np.roll(np.eye(nodes), 1, axis=1))
        a[0, : nodes // 2] = a[: nodes // 3, 1] = 1.0
        x = rng.standard_normal((nodes, subject.facts["width"])) * 1.5
        found.append(Case(name=f"{nodes} nodes", inputs={"x": x, "adjacency": a}))
    return found


def usual(subject: Subject, rng: np.random.Generator) -> Case:
    """The graph whose nodes all have loops."""
    return case(rng, subject.facts["width"], "closed")


def unlike(subject: Subject, rng: np.random.Generator) -> Case:
    """As many nodes as in the graph that was asked first, joined otherwise."""
    asked = usual(subject, rng)
    return Case(name=asked.name, inputs=asked.inputs | {"adjacency": asked["adjacency"].T.copy()})


def few_loops(subject: Subject, rng: np.random.Generator) -> Case:
    """A graph in which most nodes have no loop: one that is written into it shows."""
    return case(rng, subject.facts["width"], "joined")


def alone(subject: Subject, rng: np.random.Generator) -> Case:
    """Nodes that are joined to themselves alone."""
    x = rng.standard_normal((5, subject.facts["width"])) * 1.5
    return Case(name="5 nodes, only loops", inputs={"x": x, "adjacency": np.eye(5)})


def ring(subject: Subject, rng: np.random.Generator) -> Case:
    """Every node listens to itself and to the next one: all degrees are equal."""
    asked = alone(subject, rng)
    a = np.eye(5) + np.roll(np.eye(5), 1, axis=1)
    return Case(name="a ring of 5 nodes", inputs=asked.inputs | {"adjacency": a})


def equal(subject: Subject, rng: np.random.Generator) -> Case:
    """Nodes with the same features: then no score matters."""
    asked = usual(subject, rng)
    return Case(
        name="equal nodes", inputs=asked.inputs | {"x": np.repeat(asked["x"][:1], len(asked["x"]), 0)}
    )


def renamed(subject: Subject, rng: np.random.Generator) -> Broken | None:
    """Nodes in another order give the same outputs in that order."""
    asked = usual(subject, rng)
    turn = rng.permutation(len(asked["x"]))
    turned = {"x": asked["x"][turn], "adjacency": asked["adjacency"][np.ix_(turn, turn)]}
    before = subject.answer(asked)
    if not np.isfinite(before).all():
        return None  # what overflows does so in one order more than in another
    moved = laws.gap(before[turn], subject.answer(Case(name=asked.name, inputs=turned)))
    if moved <= laws.MOVES[subject.kind]:
        return None
    return Broken(
        number=moved,
        words=f"the same graph with its nodes in another order gives outputs that differ by {moved:.3g} of their size",
        slug="not-equivariant",
        weak=True,
    )


def strangers(subject: Subject, rng: np.random.Generator) -> Broken | None:
    """Only those a node listens to move it: the smallest graph that shows a breach."""
    if set(DIRECTIONS) & set(subject.facts.get("agreed", ())):
        asked = subject.enter
        subject = replace(subject, enter=lambda c: asked(_turned(c)), facts=subject.facts | {"agreed": []})
    a = np.array([[1.0, 1.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    x = rng.standard_normal((3, subject.facts["width"]))
    before = subject.answer(Case(name="3 nodes", inputs={"x": x, "adjacency": a}))
    if not np.isfinite(before).all():
        return None  # that is told of by another law
    for j, i in ((2, 0), (0, 1)):
        other = x.copy()
        other[j] += 1.5 * rng.standard_normal(other[j].shape)
        after = subject.answer(Case(name="3 nodes", inputs={"x": other, "adjacency": a}))
        moved = laws.gap(before[i : i + 1], after[i : i + 1])
        if moved > laws.MOVES[subject.kind]:
            words = f"3 nodes, the only edge is 1 to 0 (and a loop at each): changing node {j} moves node {i} by {moved:.3g} of its size"
            return Broken(number=moved, words=words)
    return None


def isolated(subject: Subject, rng: np.random.Generator) -> str | None:
    """What a node does that is joined to nothing."""
    asked = case(rng, subject.facts["width"], "loose")
    values, named = subject.enter(asked)
    reply = subject.bench.line.ask(
        "call", subject.made.number, values, named=named, method=subject.method, kind=subject.kind, seed=0
    )
    found = first(reply["answer"])
    return None if np.isfinite(found).all() else "isolated-nan"
