"""What was recognised at small sizes, held to larger ones and to later calls."""

import numpy as np

from regard.checker.contract import Broken, Case, Contract, Law
from regard.checker.family import TIGHT, Member, computed, distance, percent
from regard.checker.process.session import Raised
from regard.checker.subject import Subject

GROWS = Law(name="sizes", says="it is the same function at every size", test=lambda subject, rng: None)
STAYS = Law(name="stays", says="earlier calls do not change later answers", test=lambda subject, rng: None)

Found = list[tuple[Law, Broken]]


def grown(contract: Contract, subject: Subject, best: Member, rng: np.random.Generator) -> Found:
    """The first of the contract's growing cases that is not answered as the recognised program answers it."""
    for case in contract.growing(subject, rng):
        expected = computed(contract, case, best.frame, best.steps)
        if expected is None:
            continue
        try:
            off = distance(subject.answer(case), expected)
        except Raised:
            continue  # a size that it does not take
        if off > TIGHT["float32"]:
            words = f"{case.name}: it differs by {percent(off)} from what it computes at smaller sizes"
            return [(GROWS, Broken(number=off, words=words, slug="size-dependent"))]
    return []


def stayed(subject: Subject, case: Case, answer: np.ndarray) -> Found:
    """The first case, asked again at the end."""
    if distance(subject.answer(case), answer) <= TIGHT["float32"]:
        return []
    words = f"{case.name}: asked again at the end, it gives another answer"
    return [(STAYS, Broken(number=1.0, words=words, slug="state-between-calls"))]
