"""Whether rotary positions heed the base that they are given: as an argument, or in settings."""

import ast

import numpy as np

from regard.checker.contract import Broken
from regard.checker.contracts.rotary.forms import case, make
from regard.checker.laws import MOVES, gap
from regard.checker.reading.arguments import CONFIG, mean
from regard.checker.reading.source import Source
from regard.checker.subject import Subject
from regard.checker.workbench import Workbench

OTHER = 500.0
"A base to see whether a base is heeded."
WHOLE = {"asdict", "vars", "__dict__", "getattr", "replace", "astuple"}
"Ways to read a settings object other than field by field."


def heeded(subject: Subject, rng: np.random.Generator) -> Broken | None:
    """A base that is given changes the angles."""
    bench = subject.bench
    if field := unread(bench):
        words = f"{field} is a field of the settings that nothing reads"
        return Broken(number=1.0, words=words, slug="base-ignored")
    makes = bench.member["kind"] == "class" and any(
        mean(p["name"], ["base"]) for p in bench.member["parameters"]
    )
    name = next((p["name"] for p in subject.made.call if mean(p["name"], ["base"])), None)
    if bench.made is not None or not (makes or name):
        return None
    made = make(bench, OTHER) if makes else subject.made
    more = {name: OTHER} if name else {}
    other = Subject(
        bench,
        made,
        lambda c: (subject.enter(c)[0], subject.enter(c)[1] | more),
        subject.leave,
        method=subject.method,
        fresh=subject.fresh,
    )
    facts = subject.facts
    asked = case(rng, facts["layout"], facts["width"], two=facts["two"])
    bench.precise(made, *other.enter(asked), subject.method)
    if gap(subject.answer(asked), other.answer(asked)) > MOVES[subject.kind]:
        return None
    return Broken(
        number=1.0, words=f"base = {OTHER:g} gives the same output as the default base", slug="base-ignored"
    )


def unread(bench: Workbench) -> str:
    """The base among the fields of a settings class of the file that a constructor takes, where nothing ever reads it."""
    if bench.member["kind"] != "class" or bench.made is not None:
        return ""
    told = {p["name"] for p in bench.member["parameters"] if p["name"].lower() in CONFIG}
    return next(
        (name for word in _settings(bench.source, bench.name, told) for name in _bases(bench.source, word)),
        "",
    )


def _settings(source: Source, member: str, told: set[str]) -> list[str]:
    """The classes that the parameters of some names are said to be of."""
    arguments = [n for n in ast.walk(source.member(member)) if isinstance(n, ast.arg) and n.arg in told]
    return [n.annotation.id for n in arguments if isinstance(n.annotation, ast.Name)]


def _bases(source: Source, settings: str) -> list[str]:
    """Fields of a class that are bases and stand nowhere else in the file, which is read field by field.

    >>> text = "class S:\\n    dim: int = 4\\n    base: float = 1e4\\ndef f(s: S):\\n    return s.dim"
    >>> _bases(Source(text), "S"), _bases(Source(text + " * s.base"), "S")
    (['base'], [])
    """
    own = [n for n in source.tree.body if isinstance(n, ast.ClassDef) and n.name == settings]
    fields = [
        s.target.id
        for n in own
        for s in n.body
        if isinstance(s, ast.AnnAssign) and isinstance(s.target, ast.Name) and mean(s.target.id, ["base"])
    ]
    nodes = list(ast.walk(source.tree))
    read = {n.attr for n in nodes if isinstance(n, ast.Attribute)}
    read |= {n.value for n in nodes if isinstance(n, ast.Constant) and isinstance(n.value, str)}
    called = {n.id for n in nodes if isinstance(n, ast.Name)} | read
    starred = any(isinstance(n, ast.keyword) and n.arg is None for n in nodes)
    return [] if starred or called & WHOLE else [name for name in fields if name not in read]
