"""A list of edges is a set: the order in which they are listed says nothing."""

from dataclasses import replace
from typing import Any

import numpy as np

from regard.checker import laws
from regard.checker.contract import Broken, Case, Law, Mistake
from regard.checker.contracts.graph.layer import usual
from regard.checker.contracts.graph.passing import ENDS, PAIRS
from regard.checker.subject import Arguments, Subject


def shuffled(subject: Subject, rng: np.random.Generator) -> Broken | None:
    """The same edges in another order give the same outputs."""
    if subject.facts["way"] not in ("edges", PAIRS, ENDS):
        return None
    asked = usual(subject, rng)
    turn = rng.permutation(np.count_nonzero(asked["adjacency"]))

    def turned(value: Any) -> Any:
        listed = isinstance(value, np.ndarray) and value.dtype.kind == "i" and len(turn) in value.shape
        return np.take(value, turn, axis=value.shape.index(len(turn))) if listed else value

    def enter(asked: Case) -> Arguments:
        values, named = subject.enter(asked)
        return [turned(v) for v in values], {n: turned(v) for n, v in named.items()}

    moved = laws.gap(subject.answer(asked), replace(subject, enter=enter).answer(asked))
    if moved <= laws.MOVES[subject.kind]:
        return None
    words = (
        f"the same {len(turn)} edges in another order give outputs that differ by {moved:.3g} of their size"
    )
    return Broken(number=moved, words=words, slug="edge-order")


ORDER = Mistake(
    slug="edge-order",
    cause="the output depends on the order in which the edges are listed",
    remedy="sum by the index of the target, index_add_ or scatter_add_: edges come in any order",
    look="gather",
)
SHUFFLED = Law(
    name="edge order",
    says="the same edges in another order give the same outputs",
    test=shuffled,
    look="gather",
)
