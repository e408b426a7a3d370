r"""Formulas as numbers: the same tree that is shown is computed, so that what is written is what is tested.

Values are numbers, columns and matrices of float64; a product of matrices is a matrix product, and one of size one is a
number. Places count from 1, and one place of a matrix is its row, as a column. An expectation is exact: it is taken over a
finite law, a list of outcomes that the point gives under the name "law". Derivatives are differences of the fourth order.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import reduce
from typing import Any, no_type_check

import numpy as np

from regard.errors import RegardError, nearest
from regard.theory.formula import (
    Big,
    Fraction,
    Group,
    Index,
    Listed,
    Matrix,
    Node,
    Number,
    Power,
    Product,
    Relation,
    Root,
    Sum,
    Symbol,
    key,
)  # fmt: skip
from regard.theory.reader import parse

Bindings = Mapping[str, Any]
LAW = "law"
STEP = 1e-3  # of a derivative: the error is of the order of its fourth power
COMPARED = {
    "=": lambda gap, scale: abs(gap) <= scale,
    "le": lambda gap, scale: gap <= scale,
    "ge": lambda gap, scale: -gap <= scale,
    "<": lambda gap, scale: gap < 0,
    ">": lambda gap, scale: gap > 0,
    "ne": lambda gap, scale: abs(gap) > scale,
}


@dataclass(frozen=True)
class Definition:
    """What a name means: a formula, with the indices or arguments that it leaves open."""

    names: tuple[str, ...]
    body: Node


def column(*entries: Any) -> np.ndarray:
    """A vector as formulas have it.

    >>> column(1, 2).shape
    (2, 1)
    """
    return np.array(entries, dtype=float).reshape(-1, 1)


def value(source: str | Node, bindings: Bindings) -> Any:
    r"""What a formula is worth where its letters are bound.

    >>> float(value(r"\sum_{n=1}^{3} x_n^2", {"x": column(1, 2, 3)}))
    14.0
    """
    return _value(parse(source) if isinstance(source, str) else source, dict(bindings))


def relations(node: Node) -> Iterator[tuple[Node, str, Node]]:
    """Each relation of a formula as left side, sign, right side."""
    for one in node.items if isinstance(node, Listed) else (node,):
        if isinstance(one, Relation):
            yield from zip(one.sides, one.signs, one.sides[1:], strict=False)


def defined(node: Node) -> dict[str, Definition]:
    r"""The names that a formula defines by \coloneqq.

    >>> list(defined(parse(r"e_n \coloneqq y_n - a x_n")))
    ['e']
    """
    found = {}
    for left, sign, right in relations(node):
        if sign == "coloneqq":
            match left:
                case Index(base, low) if not isinstance(low, Number):
                    found[key(base)] = Definition(_names(low), right)
                case Product(((_, base), (_, Group("(", body)))):
                    found[key(base)] = Definition(_names(body), right)
                case _:
                    found[key(left)] = Definition((), right)
    return found


def gaps(node: Node, bindings: Bindings, tolerance: float) -> list[float]:
    """How far each relation of a formula is from true, in units of what is allowed: above 1 it is false."""
    found = []
    for left, sign, right in relations(node):
        if sign == "coloneqq":
            continue
        first, second = (np.asarray(_value(side, dict(bindings)), dtype=float) for side in (left, right))
        if first.shape != second.shape and min(first.size, second.size) > 1:
            return [np.inf]
        scale = tolerance * max(1.0, float(np.abs(first).max()), float(np.abs(second).max()))
        holds = all(COMPARED[sign](gap, scale) for gap in np.ravel(first - second))
        excess = float(np.abs(first - second).max()) / scale
        found.append(min(excess, 1.0) if holds else max(excess, 2.0))
    return found


def _names(node: Node) -> tuple[str, ...]:
    return tuple(key(one) for one in (node.items if isinstance(node, Listed) else (node,)))


# The functions below call each other for every node of every formula: types checked at each call would be most of the work.
@no_type_check
def _tidy(found: Any) -> Any:
    """A number where there is only one; everything else as it is."""
    if isinstance(found, np.ndarray) and found.size == 1:
        return found.reshape(())
    return found


@no_type_check
def _value(node: Node, known: dict[str, Any]) -> Any:  # noqa: C901 - one case per kind of node
    match node:
        case Number(text):
            return float(text)
        case Symbol():
            return _looked_up(node, known)
        case Index(base, low):
            return _indexed(node, base, low, known)
        case Power(base, high):
            return _raised(_value(base, known), high, known)
        case Fraction(Product(((_, Symbol("partial")), *rest)), Product(((_, Symbol("partial")), (_, by)))):
            return _derivative(Product(tuple(rest)), by, known)
        case Fraction(top, bottom):
            return _value(top, known) / _value(bottom, known)
        case Root(body):
            return np.sqrt(_value(body, known))
        case Sum(terms):
            return reduce(
                np.add, ((-1.0 if sign == "-" else 1.0) * _value(one, known) for sign, one in terms)
            )
        case Product(factors):
            return _multiplied(factors, known)
        case Group(kind, body):
            return _grouped(kind, _value(body, known))
        case Big():
            return _over(node, known)
        case Matrix(rows):
            return np.block([[np.atleast_2d(_value(one, known)) for one in row] for row in rows])
        case Listed(items):
            return [_value(one, known) for one in items]
        case Relation():
            return float(max(gaps(node, known, 1e-12), default=0.0) <= 1.0)


@no_type_check
def _looked_up(node: Node, known: dict[str, Any]) -> Any:
    name = key(node)
    if name in known:
        found = known[name]
        return _value(found.body, known) if isinstance(found, Definition) and not found.names else found
    if name in BUILT_IN:
        return BUILT_IN[name]
    raise RegardError("a letter of the formula has no value", f"'{name}'", nearest(name, known, "bind it"))


@no_type_check
def _indexed(node: Node, base: Node, low: Node, known: dict[str, Any]) -> Any:
    if key(node) in known:
        return _looked_up(node, known)
    if isinstance(base, Group) and base.kind == "lVert":
        return NORMS[key(low)](_value(base.body, known))
    found = _looked_up(base, known) if isinstance(base, Symbol) else _value(base, known)
    places = [_value(one, known) for one in (low.items if isinstance(low, Listed) else (low,))]
    if isinstance(found, Definition):
        return _value(found.body, known | dict(zip(found.names, places, strict=True)))
    whole = [round(float(one)) for one in places]
    if callable(found):
        return found(*whole)
    assert min(whole) >= 1, f"places count from 1: {key(node)} at {whole}"
    part = found[tuple(one - 1 for one in whole)]
    return _tidy(part.reshape(-1, 1) if part.ndim == 1 else part)


@no_type_check
def _raised(found: Any, high: Node, known: dict[str, Any]) -> Any:
    if high == Symbol("top"):
        return np.asarray(found).T
    exponent = _value(high, known)
    if np.ndim(found) == 2:
        return np.linalg.matrix_power(found, int(exponent))
    return np.power(np.float64(found), exponent)


def _derivative(body: Node, by: Node, known: dict[str, Any]) -> Any:
    """The gradient by a number, a column or a matrix; by a column of a column, the Jacobian."""
    name, place = key(by), np.asarray(_looked_up(by, known), dtype=float)
    columns = []
    for entry in np.ndindex(place.shape):
        moved = []
        for steps in (-2, -1, 1, 2):
            there = place.copy()
            there[entry] += steps * STEP
            moved.append(np.asarray(_value(body, known | {name: there}), dtype=float))
        columns.append((moved[0] - 8 * moved[1] + 8 * moved[2] - moved[3]) / (12 * STEP))
    if columns[0].size == 1:
        return _tidy(np.array([float(one.reshape(())) for one in columns]).reshape(place.shape))
    return np.hstack([one.reshape(-1, 1) for one in columns])


@no_type_check
def _multiplied(factors: tuple[tuple[str, Node], ...], known: dict[str, Any]) -> Any:
    found: Any = None
    waiting = list(factors)
    while waiting:
        sign, node = waiting.pop(0)
        one = _called(node, waiting, known)
        if found is None:
            found = one
        elif sign == "/":
            found = found / one
        elif sign == "odot" or np.size(found) == 1 or np.size(one) == 1:
            found = found * one
        else:
            found = found @ one
        found = _tidy(found)
    return found


@no_type_check
def _called(node: Node, waiting: list[tuple[str, Node]], known: dict[str, Any]) -> Any:
    """A factor; a function, an expectation and a gradient take the factor after them, and a power is of the result."""
    law = isinstance(node, Symbol) and node in LAWS
    gradient = isinstance(node, Index) and node.base == Symbol("nabla")
    if not waiting or not (law or gradient or _is_function(node, known)):
        return _value(node, known)
    _, argument = waiting.pop(0)
    if isinstance(argument, Power) and isinstance(argument.base, Group) and argument.base.kind in "([":
        return _raised(_applied(node, argument.base, known), argument.high, known)
    return _applied(node, argument, known)


@no_type_check
def _applied(node: Node, argument: Node, known: dict[str, Any]) -> Any:
    if isinstance(node, Symbol) and node in LAWS:
        return LAWS[node](argument, known)
    if isinstance(node, Index) and node.base == Symbol("nabla"):
        return _derivative(argument, node.low, known)
    function = _looked_up(node, known)
    given = _value(
        argument.body if isinstance(argument, Group) and argument.kind in "([" else argument, known
    )
    given = given if isinstance(given, list) else [given]
    if isinstance(function, Definition):
        return _value(function.body, known | dict(zip(function.names, given, strict=True)))
    return _tidy(function(*given))


@no_type_check
def _is_function(node: Node, known: dict[str, Any]) -> bool:
    name = key(node) if isinstance(node, Symbol | Index) else ""
    found = known.get(name, BUILT_IN.get(name))
    return callable(found) or (
        isinstance(found, Definition) and bool(found.names) and isinstance(node, Symbol)
    )


@no_type_check
def _expected(body: Node, known: dict[str, Any]) -> Any:
    outcomes = known[LAW]
    return sum(_value(body, known | outcome) for outcome in outcomes) / len(outcomes)


def _varied(body: Node, known: dict[str, Any]) -> Any:
    found = [_value(body, known | outcome) for outcome in known[LAW]]
    return np.mean(np.square(found)) - np.mean(found) ** 2


def _grouped(kind: str, body: Any) -> Any:
    if kind == "|":
        return float(len(body)) if isinstance(body, list | tuple | range) else abs(body)
    if kind == "lVert":
        return NORMS["2"](body)
    return np.floor(body) if kind == "lfloor" else body


@no_type_check
def _over(node: Big, known: dict[str, Any]) -> Any:
    """A sum, product, maximum or minimum over a range `n=1` to N, or over a collection, `n \\in S`."""
    assert isinstance(node.below, Relation), "a range reads n=1 or n \\in S"
    name = key(node.below.sides[0])
    start = _value(node.below.sides[1], known)
    if node.above is not None:
        start = range(int(start), int(_value(node.above, known)) + 1)
    found = [_value(node.body, known | {name: place}) for place in start]
    if not found:
        return {"sum": 0.0, "prod": 1.0}[node.name]
    steps: dict[str, Callable] = {"sum": np.add, "max": np.maximum, "min": np.minimum, "prod": _times}
    return reduce(steps[node.name], found)


def _times(first: Any, second: Any) -> Any:
    return _tidy(first * second if np.size(first) == 1 or np.size(second) == 1 else first @ second)


LAWS = {Symbol("E", "mathbb"): _expected, Symbol("Var", "mathrm"): _varied}
NORMS: dict[str, Callable] = {
    "1": lambda x: np.abs(x).sum(),
    "2": lambda x: np.sqrt(np.square(x).sum()) if np.shape(x)[-1:] in ((1,), ()) else np.linalg.norm(x, 2),
    "F": lambda x: np.sqrt(np.square(x).sum()),
}
BUILT_IN: dict[str, Any] = {
    "exp": np.exp, "log": np.log, "cos": np.cos, "sin": np.sin, "arccos": np.arccos, "tanh": np.tanh, "cosh": np.cosh,
    "pi": np.pi, "infty": np.inf, "det": np.linalg.det, "tr": np.trace, "sign": np.sign, "rank": np.linalg.matrix_rank,
    "max": np.maximum, "min": np.minimum, "diag": lambda x: np.diag(np.ravel(x)), "1": lambda x: x,
    "sigma_max": lambda x: np.linalg.norm(np.atleast_2d(x), 2),
    "sigma_min": lambda x: np.linalg.norm(np.atleast_2d(x), -2), "median": np.median,
}  # fmt: skip
