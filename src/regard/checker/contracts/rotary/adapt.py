"""How a person's rotary positions are called: the form that gives back the shape it was given, and turns along the tokens."""

import ast
import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from regard.checker import laws
from regard.checker.contract import Case, WeightMap
from regard.checker.contracts.rotary.forms import (
    OFFSET,
    Form,
    applied,
    case,
    given_back,
    only_tables,
    own_base,
)
from regard.checker.contracts.rotary.forms import forms as ways
from regard.checker.contracts.rotary.tables import BASE, COUNT, UNTOLD
from regard.checker.process.session import Raised
from regard.checker.reading.arguments import mean
from regard.checker.reading.source import Source
from regard.checker.subject import Subject
from regard.checker.workbench import Unfit, Workbench

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


def axes_told(source: Source, name: str) -> str:
    """The text of a member where it speaks of axes; else what the file says of itself.

    >>> file = Source("'x: (batch, heads, tokens, width)'\\ndef turn(x):\\n    return x")
    >>> ruled_out(axes_told(file, "turn"))
    ('b n h d',)
    """
    text = source.text_of(name)
    if any(axes.search(text) for axes in (HEADS_SECOND, HEADS_THIRD, TOKENS_FIRST)):
        return text
    return ast.get_docstring(source.tree) or ""


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
    text = axes_told(bench.source, bench.name)
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
    """Whether later positions are answered at all, each token by its own."""
    asked = case(np.random.default_rng(7), form.layout, form.width, two=form.two, offset=OFFSET)
    try:
        return subject.answer(asked).shape == asked["x"].shape and turning(subject, asked) is not None
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
