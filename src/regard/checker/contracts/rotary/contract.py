"""Rotary positions: pairs of channels turn by an angle that grows with the position."""

import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from regard.checker import conduct, laws
from regard.checker.contract import (
    Broken,
    Case,
    ComputationStage,
    Contract,
    Convention,
    Law,
    WeightMap,
    forms,
)
from regard.checker.contracts.rotary.forms import (
    HELPER,
    OFFSET,
    TOLD,
    Form,
    applied,
    case,
    given_back,
    only_tables,
    own_base,
)
from regard.checker.contracts.rotary.forms import forms as ways
from regard.checker.contracts.rotary.heeded import heeded
from regard.checker.contracts.rotary.mistakes import HALF, MISTAKES
from regard.checker.contracts.rotary.reference import ONE, rotary
from regard.checker.contracts.rotary.tables import BASE, COUNT, UNTOLD
from regard.checker.gradients import flowing
from regard.checker.process.session import Raised
from regard.checker.reading.arguments import mean
from regard.checker.reading.source import Source
from regard.checker.subject import Subject, larger
from regard.checker.workbench import Unfit, Workbench

STUB = '''"""Rotary positions, to be filled in. Then: regard check rotary.py"""

import torch


def rotary(x: torch.Tensor, offset: int = 0, base: float = 10000.0) -> torch.Tensor:
    """x (..., n, d) with every pair of channels turned by an angle that grows with the position.

    Position p = offset, offset + 1, ... turns pair i by p * base ** (-2 i / d): (a, b) becomes
    (a cos - b sin, a sin + b cos). Channels 2i and 2i + 1 are a pair, or i and i + d/2: both are in use.
    """
    raise NotImplementedError("fill me in")
'''

PLACES = {"b h n d": (1, 2), "b n h d": (1,), "b n d": (1,), "n d": (0,), "n b h d": (0,), "n h d": (0,)}
"The axes on which tokens may lie in each form."
HEADS_SECOND = re.compile(
    r"\b[bB]\w*,\s*(n_?)?[hH](eads?)?\w*,\s*\w+,\s*\w+|(?<![a-zA-Z])[bB][hH][tTnNlLsS][dDeEkK](?![a-zA-Z])"
)
"Axes as a person writes them whose heads come before the tokens."
HEADS_THIRD = re.compile(
    r"\bb\w*,\s*(n|t|l|s|seq\w*|tok\w*|len\w*|time|n_?tokens?|num_?tokens?)\s*,\s*(n_?|num_?)?h(eads?)?\s*,\s*\w+"
    r"|(?<![a-z])b[tnls]h[dek](?![a-z])",
    re.I,
)
"Axes as a person writes them whose tokens come before the heads."
TOKENS_FIRST = re.compile(
    r"[(\[]\s*(n|t|l|s|seq\w*|tok\w*|len\w*|time)\s*,\s*b\w*\s*,\s*(n_?|num_?)?h\w*\s*,\s*\w+\s*[)\]]", re.I
)
"Axes as a person writes them whose tokens come first of all."

CONVENTIONS = (
    Convention(
        slug="half-split",
        says="channels i and i + d/2 are a pair (half-split), not 2i and 2i + 1",
        harmless=True,
        choice="pairs=half-split",
        forms=forms(HALF),
    ),
    Convention(slug="heads-axis-layout", says="tokens come before heads: (b, n, h, d)", harmless=True),
    Convention(
        slug="base-default",
        says="unless it is told one, its base is another than 10000; it was told 10000 here",
        harmless=True,
    ),
    Convention(
        slug="sequence-first",
        says="tokens come first: (n, b, h, d)",
        choice="axes=sequence-first",
        words=r"[\(\[]\s*seq\w*,|sequence[\s_-]first",
    ),
    Convention(
        slug="clockwise",
        says="the pairs turn clockwise, by minus the angle",
        mistake="direction-reversed",
        choice="direction=clockwise",
        words=r"clockwise",
        forms=forms({"turn": lambda x, partner, cos, sin: x * cos - partner * sin}),
    ),
    Convention(
        slug="positions-from-1",
        says="positions are counted from 1",
        mistake="positions-from-one",
        choice="positions=1",
        words=r"(from|at|start\w*) (1|one)\b",
        forms=forms({"positions": lambda n, offset: offset + 1 + np.arange(n)}),
    ),
)


def suits(member: dict[str, Any], source: str) -> float:
    """A name that speaks of rotary positions, and not a part of them."""
    name = member["name"].lower()
    if (
        not re.search(r"rope|rotary|apply_rot", name)
        or HELPER.search(name)
        or re.search(r"att|block|config|model", name)
    ):
        return 0.0
    if member["kind"] == "function":
        asks = [p["name"] for p in member["parameters"] if p["required"]]
        # What is told nothing but sizes makes tables and turns nothing.
        return 0.0 if len(asks) > 1 and all(mean(name, TOLD) for name in asks) else 0.95
    return 0.9


def decide(source: Source, name: str, slugs: set[str], facts: dict[str, Any]) -> str | None:
    """10000 ** (-i/d) and 100 ** (-2i/d) are the same numbers: the source says which was written."""
    if slugs == {"base-wrong", "exponent-without-two"}:
        return "exponent-without-two" if re.search(r"\b10000\b", source.code()) else "base-wrong"
    return None


def ruled_out(text: str) -> tuple[str, ...]:
    """Layouts that a person's own words about the axes exclude.

    >>> ruled_out("x: (batch, seq, heads, dim)"), ruled_out("x: (seq, batch, heads, dim)")
    (('b h n d',), ('b h n d', 'b n h d'))
    >>> ruled_out("[batch, heads, seq, dim], or [batch, seq, heads, dim] with dim=2")
    ()
    """
    if HEADS_SECOND.search(text) and HEADS_THIRD.search(text):
        return ()  # both are spoken of
    if TOKENS_FIRST.search(text):
        return "b h n d", "b n h d"
    if HEADS_SECOND.search(text):
        return ("b n h d",)
    return ("b h n d",) if HEADS_THIRD.search(text) else ()


def adapt(bench: Workbench) -> Subject:
    """The first form that gives back the shape it was given; with tables of ours where nobody knows how to make the file's."""
    try:
        return _first(bench, ways(bench))
    except (Raised, Unfit) as trouble:
        if isinstance(trouble, Unfit) and trouble.slug == UNTOLD:
            return _first(bench, ways(bench, ours=True))
        if found := _otherwise(bench):
            return found
        if not bench.strict and bench.made is None and only_tables(bench):
            words = f"{bench.name} makes tables of angles and turns nothing by itself"
            raise Unfit("only-tables", words, "check what turns by them") from None
        raise


def _otherwise(bench: Workbench) -> Subject | None:
    """What cannot be called as it is: turned by a method with its own tables, made for just as many positions, or wider."""
    if bench.made is not None or bench.making is not None:
        return None  # made by somebody else
    tries: list[tuple[Workbench, Callable[[Workbench], Iterable[Form]]]] = [(bench, applied)]
    if not bench.strict:
        lengths = {p["name"]: str(COUNT) for p in bench.member["parameters"] if mean(p["name"], ["length"])}
        tries += [(replace(bench, said=bench.said | lengths), ways)] if lengths else []
        tries += [(replace(bench, stretch=bench.stretch + 4), ways)]
    for other, found in tries:
        try:
            return _first(other, found(other))
        except (Raised, Unfit):
            continue
    return None


def _first(bench: Workbench, forms: Iterable[Form]) -> Subject:
    rng = np.random.default_rng(7)
    error: Raised | None = None
    running: tuple[Subject, Any] | None = None
    unread: Unfit | None = None
    refused = False
    text = bench.source.text_of(bench.name)
    heads_second = bool(HEADS_SECOND.search(text))
    for form in forms:
        if form.layout in ruled_out(text) or (refused and not form.offset):
            continue
        subject = Subject(bench, form.made, form.enter, partial(given_back, form), method=form.method)
        trial = case(rng, form.layout, form.width, two=form.two)
        try:
            bench.precise(form.made, *form.enter(trial), form.method)
            if subject.answer(trial).shape != trial["x"].shape:
                continue
        except Raised as trouble:
            error = error or trouble
            continue
        except Unfit as trouble:
            unread = trouble  # a table of the file that nobody knows how to make
            continue
        running = running or (subject, form)
        if form.handed and length_kept(subject, trial) > laws.MOVES[subject.kind]:
            continue
        if form.offset and not _starts(subject, form):
            refused = True  # positions may be meant in another shape
            continue
        axis = None if bench.strict else turning(subject, trial)
        if axis is None or axis in PLACES[form.layout]:
            return settle(subject, form, heads_second)
    if running:
        subject, form = running
        values, named = form.enter(case(rng, form.layout, form.width, two=form.two))
        bench.precise(subject.made, values, named, form.method)
        return settle(subject, form, heads_second)
    if unread and (unread.slug == UNTOLD or not error):
        raise unread
    if error:
        raise error
    raise Unfit(
        "wrong-shape",
        "no way to call it gives back the shape of the input",
        "take x of shape (..., n, d) and return that shape",
    )


def _starts(subject: Subject, form: Form) -> bool:
    """Whether a later position is answered at all."""
    asked = case(np.random.default_rng(7), form.layout, form.width, two=form.two, offset=OFFSET)
    try:
        return subject.answer(asked).shape == asked["x"].shape
    except (Raised, Unfit):
        return False


def length_kept(subject: Subject, trial: Case) -> float:
    """How much the lengths of vectors change: with tables of another layout than it wants, they do."""
    before, after = (np.linalg.norm(v, axis=-1) for v in (trial["x"], subject.answer(trial)))
    return laws.gap(before, after)


def turning(subject: Subject, trial: Case) -> int | None:
    """The axis along which equal vectors are turned by different angles, if there is one alone."""
    x = np.broadcast_to(trial["x"][(*[slice(0, 1)] * (trial["x"].ndim - 1),)], trial["x"].shape).copy()
    answer = subject.answer(Case(name=trial.name, inputs={"x": x}, facts=trial.facts))[0]
    moved = [np.ptp(answer, axis=axis).max() > laws.MOVES[subject.kind] for axis in range(answer.ndim - 1)]
    return moved.index(True) if sum(moved) == 1 else None


def settle(subject: Subject, form: Any, heads_second: bool) -> Subject:
    """How it is called, and how it may be read."""
    subject.facts |= {
        "layout": form.layout,
        "two": form.two,
        "offset": form.offset,
        "drawn": {},
        "each": form.each,
    }
    subject.facts["width"] = form.width
    usual = {"b n h d": 1, "n b h d": 0, "n h d": 0}.get(form.layout, -2)
    order = {
        "b n h d": ("heads-axis-layout",),
        "n h d": ("heads-axis-layout",),
        "n b h d": ("sequence-first",),
    }
    told = ("base-default",) if own_base(subject.bench, form.made) else ()
    plain = WeightMap(
        weights={},
        facts={"axis": usual, "base": BASE},
        conventions=order.get(form.layout, ()) + told,
    )
    subject.frames = [plain]
    if form.layout == "b h n d" and not heads_second:
        second = replace(plain, facts={"axis": 1, "base": BASE}, conventions=("heads-axis-layout", *told))
        trial = case(np.random.default_rng(7), form.layout, form.width, two=form.two)
        # The reading that the turned axis speaks for comes first: a mistake is named under it.
        subject.frames = [second, plain] if turning(subject, trial) == 1 else [plain, second]
    subject.notes.append(f"called with ({form.layout})" + (", queries and keys together" if form.two else ""))
    return subject


def cases(subject: Subject, rng: np.random.Generator) -> list[Case]:
    """From position 0, and from a later one where that can be asked."""
    usual_case = usual(subject, rng)
    return [later(subject, rng), usual_case] if subject.facts["offset"] else [usual_case]


def growing(subject: Subject, rng: np.random.Generator) -> list[Case]:
    """More and more positions."""
    facts = subject.facts
    return [
        case(rng, facts["layout"], facts["width"], two=facts["two"], count=count)
        for count in larger(subject, rng, 12, 270)
    ]


def usual(subject: Subject, rng: np.random.Generator) -> Case:
    """A case from position 0."""
    return case(rng, subject.facts["layout"], subject.facts["width"], two=subject.facts["two"])


def later(subject: Subject, rng: np.random.Generator) -> Case:
    """A case from a later position, where that can be asked."""
    offset = OFFSET if subject.facts["offset"] else 0
    facts = subject.facts
    return case(rng, facts["layout"], facts["width"], two=facts["two"], offset=offset)


def length(subject: Subject, rng: np.random.Generator) -> Broken | None:
    """Turning keeps lengths."""
    asked = usual(subject, rng)
    before, after = (np.linalg.norm(v, axis=-1) for v in (asked["x"], subject.answer(asked)))
    moved = laws.gap(before, after)
    if moved <= laws.MOVES[subject.kind]:
        return None
    at = np.unravel_index(np.abs(before - after).argmax(), before.shape)
    return Broken(
        number=moved, words=f"a vector of length {before[at]:.7g} comes out with length {after[at]:.7g}"
    )


def tokens_axis(subject: Subject, asked: Case) -> int:
    """The axis of the tokens in a case, whose first axis counts the arrays."""
    axis = subject.frame.facts["axis"]
    return axis + 1 if axis >= 0 else asked["x"].ndim + axis


def origin(subject: Subject, rng: np.random.Generator) -> Broken | None:
    """Position 0 is not turned."""
    asked = usual(subject, rng)
    axis = tokens_axis(subject, asked)
    before, after = (np.take(v, 0, axis=axis) for v in (asked["x"], subject.answer(asked)))
    moved = laws.gap(before, after)
    if moved <= laws.MOVES[subject.kind] or (
        not subject.bench.strict and "positions-from-1" in subject.facts.get("agreed", ())
    ):
        return None
    return Broken(number=moved, words=f"the token at position 0 comes out changed by {moved:.3g} of its size")


def relative(subject: Subject, rng: np.random.Generator) -> Broken | None:
    """The product of two turned vectors depends on how far apart they are, and on nothing else."""
    asked = usual(subject, rng)
    axis = tokens_axis(subject, asked)
    width = subject.facts["width"]
    one, two = rng.standard_normal((2, width))
    shape = [1] * asked["x"].ndim
    shape[-1] = width
    turned = [
        np.moveaxis(
            subject.answer(
                Case(
                    name="",
                    inputs={"x": np.broadcast_to(v.reshape(shape), asked["x"].shape).copy()},
                    facts=asked.facts,
                )
            ),
            axis,
            -2,
        )
        for v in (one, two)
    ]
    q, k = (t[i].reshape(-1, t.shape[-2], width)[0] for t, i in zip(turned, (0, -1), strict=True))
    first, later = q[1] @ k[0], q[2] @ k[1]
    if abs(first - later) <= 1e-6 * np.linalg.norm(one) * np.linalg.norm(two) * (
        1 if subject.kind == "float64" else 1e3
    ):
        return None
    return Broken(
        number=abs(first - later),
        words=f"q at 1 times k at 0 is {first:.4g}, q at 2 times k at 1 is {later:.4g}",
    )


def samples(subject: Subject, rng: np.random.Generator) -> Broken | None:
    """Every sample is turned by the positions that it is told, not by those of another."""
    if not subject.facts["each"]:
        return None
    asked = later(subject, rng)
    axis = 2 if subject.facts["layout"] == "n b h d" else 1
    count = asked["x"].shape[axis]

    def answer(starts: np.ndarray) -> np.ndarray:
        return subject.answer(replace(asked, facts=asked.facts | {"starts": starts[:, None]}))

    found = answer(np.arange(count))
    for sample in range(count):
        alike = answer(np.full(count, sample))
        moved = laws.gap(np.take(alike, sample, axis=axis), np.take(found, sample, axis=axis))
        if moved > laws.MOVES[subject.kind]:
            words = f"sample {sample} comes out otherwise where other samples are told other positions: by {moved:.3g} of its size"
            return Broken(number=moved, words=words)
    return None


CONTRACT = Contract(
    name="rotary",
    title="rotary positions",
    file="rotary.py",
    stub=STUB,
    suits=suits,
    adapt=adapt,
    cases=cases,
    growing=growing,
    stages=(
        ComputationStage(
            where="at position 0, which is not turned",
            case=lambda s, rng: case(rng, s.facts["layout"], s.facts["width"], two=s.facts["two"], count=1),
        ),
        ComputationStage(where="at later positions", case=usual),
    ),
    reference=rotary,
    program=ONE,
    mistakes=(*MISTAKES, *conduct.USED),
    decide=decide,
    conventions=CONVENTIONS,
    laws=(
        laws.afresh(later),
        laws.steady(usual),
        Law(
            name="length",
            says="turning keeps the length of every vector",
            test=length,
            look="concatenate trigonometry",
        ),
        Law(name="origin", says="position 0 is not turned", test=origin, look="frequency trigonometry"),
        Law(
            name="relative",
            says="q·k depends on the distance of their positions alone",
            test=relative,
            look="frequency concatenate",
        ),
        Law(
            name="samples", says="each sample is turned by its own positions", test=samples, look="frequency"
        ),
        Law(name="base", says="a base that is given changes the angles", test=heeded, look="power frequency"),
        laws.untouched(usual),
        flowing(usual, ("x",)),
        *conduct.modes(usual),
    ),
)
