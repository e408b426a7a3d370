"""What was recognised at small sizes, held to larger ones and to later calls."""

import zlib
from dataclasses import replace

import numpy as np

from regard.checker.contract import Broken, Case, Contract, Law
from regard.checker.family import TIGHT, Member, computed, distance, percent
from regard.checker.process.session import Raised
from regard.checker.subject import Subject
from regard.checker.workbench import Unfit, Workbench

GROWS = Law(name="sizes", says="it is the same function at every size", test=lambda subject, rng: None)
STAYS = Law(name="stays", says="earlier calls do not change later answers", test=lambda subject, rng: None)

SAME = Law(
    name="ways", says="it is the same function in whatever way it is asked", test=lambda subject, rng: None
)

CALLS = 200
"The most calls that are made only to see whether they are counted."

Found = list[tuple[Law, Broken]]


def grown(contract: Contract, subject: Subject, best: Member, seed: int) -> Found:
    """The first of the contract's growing cases that is not answered as the recognised program answers it.

    A case may say by its fact `breaks` which mistake it shows; else what differs depends on the size.
    Their sizes come from the text of the file itself, so that no file can know them.
    """
    rng = np.random.default_rng([seed, _mark(subject.bench)])
    for case in contract.growing(subject, rng):
        expected = computed(contract, case, best.frame, best.steps)
        if expected is None:
            continue
        try:
            off = distance(subject.answer(case), expected)
        except Raised:
            continue  # a size that it does not take
        if off > TIGHT["float32"]:
            slug = case.facts.get("breaks", "size-dependent")
            law, than = (GROWS, "at smaller sizes") if slug == "size-dependent" else (SAME, "otherwise")
            words = f"{case.name}: it differs by {percent(off)} from what it computes {than}"
            return [(law, Broken(number=off, words=words, slug=slug))]
    return []


def stretched(contract: Contract, first: Subject, best: Member, said: dict[str, str]) -> Found:
    """Made anew with another width, which the file cannot foresee, it is the same function."""
    bench = first.bench
    if bench.made is not None or bench.making is not None or not _made(first):
        return []
    more = contract.wider[_mark(bench) % len(contract.wider)]
    try:
        subject = contract.adapt(replace(bench, stretch=more, said=dict(said), doubts=[]))
        subject.fresh = first.fresh  # what remembers is asked as if for the first time, here too
        case = contract.cases(subject, np.random.default_rng(more))[0]
        answer = subject.answer(case)
    except (Raised, Unfit):
        return []  # a size that it does not take
    if not subject.facts.get("width", 0) > first.facts.get("width", 0):
        return []  # its sizes are fixed
    other = first.otherwise is not None and all(best.frame is not frame for frame in first.frames)
    frames = subject.otherwise() if other and subject.otherwise else subject.frames
    expected = [computed(contract, case, frame, best.steps) for frame in frames]
    off = min((distance(answer, one) for one in expected if one is not None), default=0.0)
    if off <= TIGHT["float32"]:
        return []
    words = f"made {more} wider: it differs by {percent(off)} from what it computes at the first width"
    return [(GROWS, Broken(number=off, words=words, slug="size-dependent"))]


def _made(subject: Subject) -> bool:
    """Whether a width was asked for, or is that of the input alone."""
    return bool(subject.made.built.meant) or not subject.made.learned


def _mark(bench: Workbench) -> int:
    """A number that belongs to the text of a file."""
    return zlib.crc32(bench.source.text.encode(errors="replace"))


def stayed(subject: Subject, case: Case, answer: np.ndarray) -> Found:
    """The first case, asked again at the end, after as many calls as the file names a number for."""
    for _ in range(max((n for n in subject.bench.source.numbers() if n <= CALLS), default=0)):
        subject.answer(case)
    if distance(subject.answer(case), answer) <= TIGHT["float32"]:
        return []
    words = f"{case.name}: asked again at the end, it gives another answer"
    return [(STAYS, Broken(number=1.0, words=words, slug="state-between-calls"))]
