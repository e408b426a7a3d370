"""Whether the angles of one head depend on how many heads there are: it is the width of a head that counts."""

from dataclasses import replace

import numpy as np

from regard.checker.contract import Broken, Mistake
from regard.checker.contracts.rotary.forms import HEADS, case, make
from regard.checker.contracts.rotary.mistakes import HALF
from regard.checker.contracts.rotary.reference import rotary
from regard.checker.contracts.rotary.tables import BASE
from regard.checker.laws import MOVES, gap
from regard.checker.process.session import Raised
from regard.checker.subject import Subject
from regard.checker.workbench import Unfit

WHOLE = Mistake(
    slug="width-of-all-heads",
    cause="the exponents are divided by the width of all heads and not by that of one: with several heads the frequencies fall too slowly",
    remedy="base ** (-2 i / d) with d the width of one head, model width / heads",
    look="power frequency",
)


def alike(subject: Subject, rng: np.random.Generator) -> Broken | None:
    """What is made for several heads turns each of them as what is made for one head of that width."""
    bench, facts = subject.bench, subject.facts
    meant = set(subject.made.built.meant)
    if bench.made is not None or bench.making is not None or not {"heads", "width"} <= meant:
        return None
    one, more = (_answer(subject, rng, wide) for wide in (facts["width"], facts["width"] * HEADS))
    if one is None or more is not None:
        return None  # what also turns what is wider was told the width of what it turns
    asked = case(rng, facts["layout"], facts["width"], two=facts["two"])
    found, wanted = _several(subject).answer(asked), subject.answer(asked)
    if (moved := gap(wanted, found)) <= MOVES[subject.kind]:
        return None
    slow = replace(subject.frame, facts=subject.frame.facts | {"base": BASE ** (1 / HEADS)})
    known = any(gap(rotary(asked, slow, steps), found) <= MOVES[subject.kind] for steps in ({}, HALF))
    words = f"made for {HEADS} heads and {HEADS} times as wide, it turns a head otherwise than made for that head alone: by {moved:.3g} of its size"
    return Broken(number=moved, words=words, slug=WHOLE.slug if known else "")


def _answer(subject: Subject, rng: np.random.Generator, width: int) -> np.ndarray | None:
    """What the one that is made for several heads gives for an array of some width, if it takes that."""
    asked = case(rng, subject.facts["layout"], width, two=subject.facts["two"])
    try:
        found = _several(subject).answer(asked)
    except (Raised, Unfit):
        return None
    return found if found.shape == asked["x"].shape else None


def _several(subject: Subject) -> Subject:
    """The same, made for several heads."""
    made = make(subject.bench, heads=HEADS)
    subject.bench.line.ask("cast", made.number, subject.kind)
    return replace(subject, made=replace(made, call=subject.made.call, kind=subject.kind))
