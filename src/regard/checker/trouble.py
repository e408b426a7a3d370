"""What is said of code that could not be judged to its end."""

import re

import numpy as np

from regard.checker.contract import Contract
from regard.checker.process.session import Lost, Raised
from regard.checker.reading.gone import gone
from regard.checker.reading.source import Place
from regard.checker.reading.unheard import own
from regard.checker.report.verdict import Finding
from regard.checker.workbench import Unfit, Workbench

UNSURE = ("NameError", "AttributeError", "KeyError", "AssertionError", "UnboundLocalError")
"Exceptions that a wrong guess at how something is made or called is likely to end in."
MISFIT = re.compile(
    r"argument|positional|keyword|unpack|has no attribute|shape|size|dimension|multiplied|einsum|is ambiguous|: None\b|'None'"
)
"Words of exceptions that say the same."
OTHER_KIND = re.compile(
    r"NoneType|type '(int|float)'|'(int|float|bool|dict)' (object|and)|and '(int|float|bool)'"
)
"Words of a TypeError that a size or None ends in where something else is wanted."
AXES = re.compile(
    r"must be an? \dD tensor|[Ee]xpected( an?)? \d-?D(imensional)?\b|to have \d+ channels, but got \d+ channels"
)
"Words of exceptions that ask for other axes than they were given."
GPU = re.compile(r"not compiled with CUDA|NVIDIA driver|No CUDA GPUs|CUDA is not available")
"Words of exceptions that ask for a GPU."
OWN = re.compile(r"view size is not compatible")
"Words of exceptions that no argument is to blame for."


def stopped(
    trouble: Raised | Lost | Unfit, bench: Workbench, contract: Contract, *, started: bool
) -> Finding:
    """It could not be judged to the end; `started` once it ran as the contract needs it."""
    if isinstance(trouble, Raised):
        place = bench.source.at(trouble.line) if trouble.line else None
        if GPU.search(trouble.words):
            words, remedy = (
                "it asks for a GPU, which is not used here",
                "take the device from the input, or from an argument",
            )
            return Finding(
                kind="stopped", slug="no-gpu", sentence=words, place=place, remedy=remedy, page=contract.name
            )
        if not started and doubtful(trouble, bench):
            return unsure(trouble, bench, contract, place)
        words, remedy = f"it raises {trouble.kind}: {short(trouble.words)}", "make this line run first"
        if place:
            words += f", in line {place.line}" + (f" of cell {place.cell}" if place.cell else "")
        words += f", given {trouble.given}" if trouble.given else ""
        return Finding(
            kind="stopped", slug="raises", sentence=words, place=place, remedy=remedy, page=contract.name
        )
    if isinstance(trouble, Lost):
        remedy = "make one call run to its end first"
        if trouble.slug == "not-installed":
            remedy = "install it in this environment, then check again"
        return Finding(
            kind="stopped", slug=trouble.slug, sentence=trouble.sentence, remedy=remedy, page=contract.name
        )
    known = next((m for m in contract.mistakes if m.slug == trouble.slug), None)
    if not known and not started and (old := gone(bench.source, bench.name)):
        return Finding(
            kind="stopped",
            slug="raises",
            sentence=f"it raises AttributeError: the installed NumPy {np.__version__} has no {old[0]}",
            place=bench.source.at(old[1]),
            remedy="use what took its place",
            page=contract.name,
        )
    place = bench.source.at(trouble.line) if trouble.line else None
    return Finding(
        kind="mistake" if known else "stopped",
        slug=trouble.slug,
        sentence=known.cause if known else trouble.sentence,
        evidence=(trouble.sentence,) if known else (),
        place=place or (bench.source.place(bench.name, known.look) if known else None),
        remedy=trouble.remedy,
        page=f"{contract.name}#{trouble.slug}" if known else contract.name,
    )


def doubtful(trouble: Raised, bench: Workbench) -> bool:
    """Whether an exception may be the fault of how it was made or called, which was partly guessed."""
    if own(bench.source, trouble.kind, trouble.words, trouble.line):
        return False
    if trouble.kind == "TypeError" and "argument" in trouble.words:
        return True
    if (trouble.kind == "NameError" and bench.source.lacks(trouble.words)) or OWN.search(trouble.words):
        return False
    if trouble.kind == "AttributeError" and gone(bench.source, bench.name):
        return False  # what NumPy no longer has is nobody's guess
    if (bench.partial and trouble.kind in UNSURE) or AXES.search(trouble.words):
        return True
    misfit = bool(MISFIT.search(trouble.words)) or (
        trouble.kind == "TypeError" and bool(OTHER_KIND.search(trouble.words))
    )
    return bool(bench.doubts) and (trouble.kind in UNSURE or misfit)


def unsure(trouble: Raised, bench: Workbench, contract: Contract, place: Place | None) -> Finding:
    """How to make or call it could not be worked out: what was tried, and the one line that would help."""
    call = ", ".join(p["name"] for p in bench.member["forward"] if p["required"])
    helps = f"--call '{bench.name}({call}, …)'"
    if bench.member["kind"] == "class":
        made = ", ".join(f"{p['name']}=…" for p in bench.member["parameters"] if p["required"])
        helps = f"--make '{bench.name}({made})', or {helps}"
    return Finding(
        kind="stopped",
        slug="not-understood",
        sentence=f"how to make or call it could not be worked out: {trouble.kind}: {short(trouble.words)}",
        evidence=tuple(f"tried: {words}" for words in dict.fromkeys(bench.doubts)),
        place=place,
        remedy=f"say it in one line: {helps}",
        page=contract.name,
    )


def watching(word: str, place: Place, page: str) -> Finding:
    """It answers rightly here, and looks at who asks."""
    return Finding(
        kind="stopped",
        slug="looks-around",
        sentence=f"it looks at who runs it ({word}), so what it does here need not be what it does elsewhere",
        place=place,
        remedy="leave that out of what is checked",
        page=page,
    )


def short(words: str) -> str:
    """The first line of a message.

    >>> short("one\\ntwo"), short("")
    ('one', '(no message)')
    """
    return words.strip().splitlines()[0][:200] if words.strip() else "(no message)"
