"""Edits of a program: each gives the steps that it replaces and a sentence that is made of their parts."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import Any

import numpy as np

from regard.checker.contract import Mistake, Steps
from regard.checker.grammar.functions import ELEMENTWISE, WEIGHTS, ArrayFunction, along, exchanged
from regard.checker.grammar.program import Do, Program, ProgramStep, Rewired, Value

Array = np.ndarray
SINGULAR = {
    "keys": "key",
    "queries": "query",
    "heads": "head",
    "tokens": "token",
    "channels": "channel",
    "samples": "sample",
    "channels of a head": "channel of a head",
}
SINGULAR |= {
    "nodes": "node",
    "neighbours": "neighbour",
    "nodes that listen": "node that listens",
    "features": "feature",
}
SINGULAR |= {
    "pairs": "pair",
    "components": "component",
    "dimensions": "dimension",
    "inputs": "input",
    "outputs": "output",
}
PARTS: tuple[tuple[str, str, Callable[[Array], Array]], ...] = (
    ("first", "to the first {one} only", lambda i: i == 0),
    ("not-first", "to every {one} but the first", lambda i: i > 0),
    ("last", "to the last {one} only", lambda i: i == len(i) - 1),
    ("not-last", "to every {one} but the last", lambda i: i < len(i) - 1),
    ("half", "to the first half of the {many} only", lambda i: i < len(i) // 2),
    ("even", "to every second of the {many} only", lambda i: i % 2 == 0),
)
"Some of what lies along an axis."


@dataclass(frozen=True)
class Edit:
    """A changed program: the steps that are replaced, and the words for it."""

    slug: str
    says: str
    fix: str
    steps: Steps
    look: str = ""

    def mistake(self) -> Mistake:
        """The same as the checker's mistakes are written."""
        return Mistake(slug=self.slug, cause=self.says, remedy=self.fix, look=self.look, forms=(self.steps,))


@cache
def generated(program: Program) -> tuple[Mistake, ...]:
    """Every edit of a program as a mistake, the likeliest kinds first."""
    return tuple(edit.mistake() for edit in edits(program))


def edits(program: Program) -> Iterator[Edit]:
    """Every edit of a program, the likeliest kinds first."""
    for slug, words, steps in program.others:
        yield Edit(slug, words, "see what the contract says of this step", dict(steps))
    yield from operands(program)
    yield from replaced(program)
    inside = [(step, step.do) for step in program.steps if isinstance(step.do, Program)]
    for kind in (operands, replaced):
        yield from (_outer(step, inner, edit) for step, inner in inside for edit in kind(inner))
    yield from inserted(program)
    yield from joined(program)
    yield from parts(program)
    for kind in (inserted, parts):
        yield from (_outer(step, inner, edit) for step, inner in inside for edit in kind(inner))


def _outer(step: ProgramStep, inner: Program, edit: Edit) -> Edit:
    """An edit of the program inside a step, as an edit of that step."""
    return Edit(edit.slug, edit.says, edit.fix, {step.name: inner.replaced(edit.steps)}, edit.look)


def functions(value: Value) -> Iterator[ArrayFunction]:
    """Every function of one array that has the axes of a value."""
    if value.weight:
        yield from WEIGHTS
    else:
        yield from ELEMENTWISE
    for place, name in enumerate(value.axes):
        if name != "one" and not value.weight:
            yield from along(place - len(value.axes), name, SINGULAR.get(name, name))
    if len(value.axes) > 1:
        yield exchanged(*value.axes[-2:])


def operands(program: Program) -> Iterator[Edit]:
    """A step that takes another value of the same kind, or its operands in another order."""
    for step in program.steps:
        if not (step.noun and step.says):
            continue
        yield from _roles(program, step)
        for place, right in enumerate(step.takes):
            kind = program.values.get(right)
            others = (o for o in program.before(step) if o != right and _alike(program, o, kind))
            for other in dict.fromkeys(others):
                takes = (*step.takes[:place], other, *step.takes[place + 1 :])
                words = _said(program, step, takes)
                yield Edit(
                    f"{_plain(step.name)}-takes-{_plain(other)}",
                    f"{words}, in place of {program.noun(right).strip(',')}",
                    f"{_said(program, step, step.takes)}",
                    {step.name: Rewired(takes, step.do)},
                    step.look,
                )


def _roles(program: Program, step: ProgramStep) -> Iterator[Edit]:
    """A step with all its weights taken from another role."""
    own = [program.values[name].role for name in step.takes if name in program.values]
    role = next(filter(None, own), "")
    others = dict.fromkeys(v.role for v in program.values.values() if role and v.role not in ("", role))
    for other in others:
        takes = tuple(
            name[: -len(role)] + other if name in program.values and program.values[name].role else name
            for name in step.takes
        )
        noun = next(v.noun for v in program.values.values() if v.role == other).partition(" of ")[2]
        yield Edit(
            f"{_plain(step.name)}-of-{other}",
            f"{noun} stands in place of {step.noun}, whose weights are not used",
            f"use the weights of {step.noun}",
            {step.name: Rewired(takes, step.do)},
            step.look,
        )


def _alike(program: Program, name: str, kind: Value | None) -> bool:
    other = program.values.get(name)
    return bool(kind and other and other.noun and kind.axes and other.axes == kind.axes)


def _said(program: Program, step: ProgramStep, takes: tuple[str, ...]) -> str:
    """What a step does, with the operands that it takes."""
    words = step.says
    for mine, taken in zip(step.takes, takes, strict=True):
        noun = program.noun(taken) or program.noun(mine) or NOUNS.get(mine, mine)
        words = words.replace(f"{{{mine}}}", noun)
    return words


NOUNS = {"kept": "the weights"}


def replaced(program: Program) -> Iterator[Edit]:
    """A step that does something else with its operands, or nothing, or is done twice."""
    for step in program.steps:
        name = _plain(step.name)
        for number, (words, do) in enumerate(step.instead):
            fix = (
                f"compute {step.noun} as the contract says"
                if step.noun
                else "see what the contract says of this step"
            )
            yield Edit(f"{name}-other-{number + 1}", words, fix, {step.name: do}, step.look)
        if not step.noun or not isinstance(step.gives, str):
            continue
        yield Edit(
            f"{name}-left-out",
            f"{step.noun} is left out",
            f"apply {step.noun}",
            {step.name: _first},
            step.look,
        )
        yield Edit(
            f"{name}-twice",
            f"{step.noun} is applied twice",
            "apply it once",
            {step.name: _twice(step.do)},
            step.look,
        )
        yield Edit(
            f"{name}-doubled", f"{step.noun} is applied, and what went in is added again", "leave the sum out",
            {step.name: _plus(step.do, 1)}, step.look,
        )  # fmt: skip
        yield Edit(
            f"{name}-differenced", f"{step.noun} is applied, and what went in is taken off again", "leave the difference out",
            {step.name: _plus(step.do, -1)}, step.look,
        )  # fmt: skip
        value = program.values.get(step.gives)
        if value is not None and value.axes and program.values.get(step.takes[0], Value()).axes == value.axes:
            for function in functions(value):
                if not function.thing:
                    continue
                yield Edit(
                    f"{name}-is-{function.slug}", f"{function.thing} stands in place of {step.noun}", f"use {step.noun}",
                    {step.name: _instead(function.do)}, step.look,
                )  # fmt: skip
                yield Edit(
                    f"{name}-is-{function.slug}-over-sum",
                    f"{function.thing}, divided by its sum, stands in place of {step.noun}",
                    f"use {step.noun}",
                    {step.name: _instead(_summed(function.do))},
                    step.look,
                )


def _first(x: Any, *others: Any) -> Any:
    return x


def _twice(do: Do) -> Do:
    return lambda x, *others: do(do(x, *others), *others)


def _plus(do: Do, sign: int) -> Do:
    return lambda x, *others: do(x, *others) + sign * x


def _instead(do: Callable[[Array], Array]) -> Do:
    def step(x: Array, *others: Any) -> Array:
        return do(x)

    return step


def _summed(do: Callable[[Array], Array]) -> Callable[[Array], Array]:
    def step(x: Array) -> Array:
        found = do(x)
        return found / found.sum(axis=-1, keepdims=True)

    return step


def inserted(program: Program) -> Iterator[Edit]:
    """A function applied to what a step gives."""
    order = list(program.values)
    given = [(name, step, place) for step in program.steps for place, name in enumerate(step.results)]
    for name, step, place in sorted(given, key=lambda one: order.index(one[0]) if one[0] in order else -1):
        if (value := program.values.get(name)) is not None:
            used = value is not None and (not value.weight or any(name in s.takes for s in program.steps))
            if value is None or not value.noun or not value.axes or not used:
                continue
            for function in functions(value):
                says = function.says.format(noun=value.noun, are=value.count)
                if value.count == "is":
                    says = says.replace(" their ", " its ").replace("without their", "without its")
                yield Edit(
                    f"{_plain(name)}-{function.slug}", says, f"take {value.noun.strip(',')} as the contract has them" if value.count == "are" else f"take {value.noun} as the contract has it",
                    {step.name: _then(step, place, function.do)}, step.look,
                )  # fmt: skip


def _then(step: ProgramStep, place: int, do: Callable[[Array], Array]) -> Do:
    if isinstance(step.gives, str):
        return lambda *values: do(step.do(*values))

    def several(*values: Any) -> tuple:
        found = list(step.do(*values))
        found[place] = do(found[place])
        return tuple(found)

    return several


JOINS: tuple[tuple[str, str, Callable[[Array, Array], Array]], ...] = (
    ("plus", "{other} {are} added to {noun}", lambda x, y: x + y),
    ("minus", "{other} {are} taken off {noun} (subtracted)", lambda x, y: x - y),
    ("times", "{noun} are multiplied by {other}", lambda x, y: x * y),
)


def joined(program: Program) -> Iterator[Edit]:
    """Another value of the same kind added to what a step gives, taken off it, or multiplied with it."""
    for step in program.steps:
        name = step.gives
        value = program.values.get(name) if isinstance(name, str) else None
        if value is None or not value.noun or not value.axes or value.weight or not isinstance(name, str):
            continue
        others = (o for o in program.before(step) if _alike(program, o, value))
        for other, (slug, words, do) in product(dict.fromkeys(others), JOINS):
            mine, theirs = value.noun.strip(","), program.values[other]
            yield Edit(
                f"{_plain(name)}-{slug}-{_plain(other)}",
                words.format(other=theirs.noun.strip(","), are=theirs.count, noun=mine),
                f"leave {theirs.noun.strip(',')} out there",
                {step.name: Rewired((*step.takes, other), _joined(step.do, do))},
                step.look,
            )


def _joined(do: Do, join: Callable[[Array, Array], Array]) -> Do:
    return lambda *values: join(do(*values[:-1]), values[-1])


def parts(program: Program) -> Iterator[Edit]:
    """A step that is applied to some of what lies along an axis; the rest goes by as it is."""
    for step in program.steps:
        value = program.values.get(step.results[0])
        source = program.values.get(step.takes[0])
        if not step.noun or value is None or source is None or not value.axes or source.axes != value.axes:
            continue
        for place, name in enumerate(value.axes):
            axis, one = place - len(value.axes), SINGULAR.get(name, name)
            for slug, words, keep in PARTS:
                yield Edit(
                    f"{_plain(step.name)}-{slug}-{_plain(name)}",
                    f"{step.noun} is applied {words.format(one=one, many=name)}",
                    f"apply {step.noun} everywhere",
                    {step.name: _partly(step.do, axis, keep)},
                    step.look,
                )


def _partly(do: Do, axis: int, keep: Callable[[Array], Array]) -> Do:
    def step(x: Array, *others: Any) -> Array:
        found = do(x, *others)
        shape = [1] * found.ndim
        shape[axis] = -1
        return np.where(keep(np.arange(found.shape[axis])).reshape(shape), found, x)

    return step


def _plain(name: str) -> str:
    return name.replace(" ", "-")
