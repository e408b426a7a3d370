"""What was recognised at small sizes, held to larger ones and to later calls."""

import re
import zlib
from dataclasses import replace

import numpy as np

from regard.checker.contract import Broken, Case, Contract, Law
from regard.checker.family import TIGHT, Member, computed, distance, percent
from regard.checker.process.session import Raised
from regard.checker.subject import Subject
from regard.checker.trouble import short
from regard.checker.workbench import Unfit, Workbench

GROWS = Law(name="sizes", says="it is the same function at every size", test=lambda subject, rng: None)
STAYS = Law(name="stays", says="earlier calls do not change later answers", test=lambda subject, rng: None)

SAME = Law(
    name="ways", says="it is the same function in whatever way it is asked", test=lambda subject, rng: None
)

VIEW = re.compile(r"view size|contiguous|stride|sparse|not implemented", re.I)
"Words of exceptions about how numbers lie in memory, which say what to do."
TOKENS = ("query", "key", "value", "x")
"Inputs that are made of tokens, nodes or points."
CALLS = 200
"The most calls that are made only to see whether they are counted."

Found = list[tuple[Law, Broken]]


def grown(contract: Contract, subject: Subject, best: Member, seed: int) -> Found:
    """The first of the contract's growing cases that is not answered as the recognised program answers it.

    A case may say by its fact `breaks` which mistake it shows; else what differs depends on the size.
    Their sizes come from the text of the file itself, so that no file can know them.
    """
    rng = np.random.default_rng([seed, _mark(subject.bench)])
    for case in [*contract.growing(subject, rng), *unusual(contract, subject, rng)]:
        expected = computed(contract, case, best.frame, best.steps)
        if expected is None:
            continue
        try:
            answer = subject.answer(case)
            off = distance(answer, expected)
        except Raised as error:
            if "breaks" not in case.facts or VIEW.search(error.words):
                continue  # a size that it does not take
            words = f"{case.name}: it raises {error.kind}: {short(error.words)}"
            return [(SAME, Broken(number=np.inf, words=words, slug=case.facts["breaks"]))]
        if off > TIGHT["float32"]:
            slug = case.facts.get("breaks", "size-dependent")
            law, than = (GROWS, "at smaller sizes") if slug == "size-dependent" else (SAME, "otherwise")
            words = f"{case.name}: it differs by {percent(off)} from what it computes {than}"
            if not slug and (known := _explained(contract, best, case, answer)):
                slug = known
            if not np.isfinite(off):
                words = f"{case.name}: NaN or infinity stands elsewhere than in what it computes {than}"
            if answer.shape != expected.shape:
                words = f"{case.name}: the answer has the shape {answer.shape}, {than} it would be {expected.shape}"
            return [(law, Broken(number=off, words=words, slug=slug))]
    return []


def _explained(contract: Contract, best: Member, case: Case, answer: np.ndarray) -> str:
    """The known mistake whose program gives the answer where what was recognised does not; at the usual cases they are one."""
    for mistake in contract.mistakes:
        for steps in mistake.forms:
            found = computed(contract, case, best.frame, best.steps | steps)
            if found is not None and distance(answer, found) <= TIGHT["float32"]:
                return mistake.slug
    return ""


def unusual(contract: Contract, subject: Subject, rng: np.random.Generator) -> list[Case]:
    """The first case with a token of zeros, and with inputs that do not lie one after the other in memory."""
    case = contract.cases(subject, rng)[0]
    held = {name: case[name] for name in TOKENS if name in case.inputs and case[name].ndim > 1}
    if not held or contract.name.endswith("norm"):
        return []  # norms have cases of their own
    holes = {name: value.copy() for name, value in held.items()}
    for value in holes.values():
        value[..., 1 % value.shape[-2], :] = 0.0
    inputs, facts = case.inputs, case.facts | {"breaks": ""}
    return [
        replace(case, name=f"{case.name}, one token zero", inputs=inputs | holes, facts=facts),
        replace(case, name=f"{case.name}, transposed in memory", facts=facts | {"strided": True}),
    ]


def stretched(contract: Contract, first: Subject, best: Member, said: dict[str, str]) -> Found:
    """Made anew with other widths, which the file cannot foresee, an odd one too, it is the same function."""
    bench = first.bench
    if bench.made is not None or bench.making is not None or not _made(first):
        return []
    each = (widths for widths in (contract.odd, contract.wider) if widths)
    drawn = (widths[_mark(bench) % len(widths)] for widths in each)
    return next((found for more in drawn if (found := _wider(contract, first, best, said, more))), [])


def _wider(contract: Contract, first: Subject, best: Member, said: dict[str, str], more: int) -> Found:
    """What differs where it is made so much wider."""
    bench = first.bench
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
