"""Graph layers that take the number of nodes from another axis: they run only where there are as many nodes as features."""

from collections.abc import Callable, Iterable

import numpy as np

from regard.checker.contract import Broken, Case, Law, Mistake
from regard.checker.laws import MOVES, gap
from regard.checker.process.session import Raised
from regard.checker.subject import Subject
from regard.checker.workbench import Unfit

AXES = Mistake(
    slug="nodes-from-features",
    cause="the number of nodes is taken from the axis of the features: where there are more or fewer nodes than features it fails",
    remedy="take it from the axis of the nodes: x.size(0), or x.shape[-2]",
    look="loops degree gather",
)


def square(nodes: int, width: int, rng: np.random.Generator) -> Case:
    """So many nodes, each with a loop, and each listening to the next one and to some others."""
    a = np.eye(nodes) + np.roll(np.eye(nodes), 1, axis=1) + np.roll(np.eye(nodes), 3, axis=0)
    x = rng.standard_normal((nodes, width)) * 1.5
    return Case(name=f"{nodes} nodes", inputs={"x": x, "adjacency": np.minimum(a, 1.0)})


def confused(
    tried: Callable[[Case], Iterable[Subject]],
    width: int,
    sizes: tuple[int, ...],
    rng: np.random.Generator,
    error: Raised,
) -> Unfit | None:
    """What raised for five nodes, if it is a graph layer for as many nodes as it has features."""
    for nodes in dict.fromkeys((width, *sizes)):
        case = square(nodes, width, rng)
        for subject in tried(case):
            try:
                heard = _local(subject, case, rng)
            except Raised:
                continue
            if heard:
                words = (
                    f"{nodes} nodes, as many as it has features: it runs; 5 nodes: it raises {error.kind}: "
                )
                words += error.words.strip().partition("\n")[0][:120]
                return Unfit(AXES.slug, words, AXES.remedy, error.line)
    return None


def turned(tried: Callable[[Case], Iterable[Subject]], width: int, rng: np.random.Generator) -> bool:
    """Whether it runs where each column of what it is given, and of what it answers, is a node."""
    case = square(7, width, rng)
    across = Case(name=case.name, inputs=case.inputs | {"x": case["x"].T.copy()})
    for subject in tried(across):
        try:
            if subject.answer(across).shape[1:] == (7,):
                return True
        except Raised:
            continue
    return False


def alone(subject: Subject, rng: np.random.Generator) -> Broken | None:
    """What is right for batches alone need not take one graph; where it is not, why it does not take one says more."""
    found, named = subject.facts.get("confused"), subject.facts.get("named", ())
    if found is None or () in named:
        return None
    return Broken(
        number=1.0,
        words=found.sentence,
        slug=AXES.slug,
        instead=tuple(slug for slugs in named for slug in slugs),
    )


ONE = Law(
    name="one graph",
    says="the number of nodes and that of features are two numbers",
    test=alone,
    look="loops degree gather",
)


def _local(subject: Subject, case: Case, rng: np.random.Generator) -> bool:
    """Whether it answers node by node, and a node moves those that listen to it, or those it listens to, and no others."""
    before, other = subject.answer(case), case["x"].copy()
    if before.ndim != 2 or len(before) != len(other):
        return False
    other[0] += rng.standard_normal(other[0].shape)
    after = subject.answer(Case(name=case.name, inputs=case.inputs | {"x": other}))
    moved = np.array(
        [gap(one[None], two[None]) > MOVES[subject.kind] for one, two in zip(before, after, strict=True)]
    )
    a = case["adjacency"] > 0
    return bool((moved == a[:, 0]).all() or (moved == a[0]).all())
