"""Constants of a program that are not as they should be: estimated from answers at several sizes, then recognised."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations, product
from typing import Any

import numpy as np

from regard.checker.contract import Case, Mistake, Steps, WeightMap
from regard.checker.grammar.program import Do, Program, ProgramStep

Array = np.ndarray
Reference = Callable[[Case, WeightMap, Steps], Array | None]
Gap = Callable[[Array, Array], float]
Sized = Callable[[Mapping[str, int]], float]
GRID = np.concatenate([np.geomspace(1e-3, 1e3, 31), -np.geomspace(1e-2, 1e2, 13)])
NEAR = 0.7
"How near the best of the grid must be for a constant to be sought at all."
FLAT = 1e-4
"Where every number is this near, the number plays no part."
POWERS = (1, -1, 0.5, -0.5, 2, -2, 0.25, -0.25, 1.5, -1.5, 1 / 3, -1 / 3)
FACTORS = (1.0, 2.0, 0.5, 3.0, 1 / 3, 4.0, 0.25, 2**0.5, 0.5**0.5, 3**0.5, 3**-0.5, 10.0, 0.1, -1.0)


@dataclass(frozen=True)
class ProgramNumber:
    """A place in a program where a number may be wrong, and how the number enters."""

    step: ProgramStep
    way: str
    noun: str
    count: str

    def steps(self, number: float) -> Steps:
        """The program with that number."""
        return {self.step.name: _with(self.step.do, self.way, number)}

    def says(self, words: str) -> str:
        """The sentence, with the number in words."""
        if self.way == "clip":
            bound = words.removeprefix("-")
            return f"{self.noun} {self.count} clipped to between -{bound} and {bound}"
        if self.way == "is":
            return f"{self.noun} is {words}"
        verb = {"times": "multiplied by", "plus": "increased by", "power": "raised to the power"}[self.way]
        return f"{self.noun} {self.count} {verb} {words}, which the contract does not ask for"


def _with(do: Do, way: str, number: float) -> Do:
    if way == "is":
        return lambda *values: number
    if way == "times":
        return lambda *values: do(*values) * number
    if way == "clip":
        return lambda *values: np.clip(do(*values), -abs(number), abs(number))
    if way == "plus":
        return lambda *values: do(*values) + number
    return lambda *values: do(*values) ** number


def places(program: Program) -> Iterator[ProgramNumber]:
    """Every number that may be wrong: one that a step gives alone, or one that multiplies, is added, is a power, or bounds."""
    known = [
        (step, value)
        for step in program.steps
        if isinstance(step.gives, str) and (value := program.values.get(step.gives))
        if value.noun and not isinstance(step.do, Program)
    ]
    # A number of the program itself says more than one that is multiplied into something.
    for step, value in known:
        if not value.axes:
            yield ProgramNumber(step, "is", value.noun, value.count)
    for step, value in known:
        for way in () if not value.axes else ("times", "plus", "power", "clip"):
            yield ProgramNumber(step, way, value.noun, value.count)


def estimated(
    place: ProgramNumber, wanted: Array, compute: Callable[[Steps], Array | None], gap: Gap
) -> tuple[float, float] | None:
    """The number under which a program is nearest to an answer, and how near that is; nothing where none matters."""

    def far(number: float) -> float:
        found = compute(place.steps(float(number)))
        off = np.inf if found is None else gap(wanted, found)
        return float("inf") if np.isnan(off) else off

    with np.errstate(all="ignore"):
        seen = [far(number) for number in GRID]
        best = int(np.argmin(seen))
        if max(seen) < FLAT:
            return None
        if not seen[best] < NEAR:
            return float(GRID[best]), seen[best]
        low, high = GRID[max(best - 1, 0)], GRID[min(best + 1, len(GRID) - 1)]
        if low * high < 0:
            low = high = GRID[best]
        return _narrowed(far, *sorted((float(low), float(high))))


def _narrowed(far: Callable[[float], float], low: float, high: float) -> tuple[float, float]:
    """Golden section: the least of a function between two numbers."""
    ratio = (np.sqrt(5) - 1) / 2
    left, right = high - ratio * (high - low), low + ratio * (high - low)
    at_left, at_right = far(left), far(right)
    for _ in range(60):
        if at_left < at_right:
            high, right, at_right = right, left, at_left
            left = high - ratio * (high - low)
            at_left = far(left)
        else:
            low, left, at_left = left, right, at_right
            right = low + ratio * (high - low)
            at_right = far(right)
    return (left, at_left) if at_left < at_right else (right, at_right)


def sizes(program: Program, compute: Callable[[Steps], Any]) -> dict[str, int]:
    """How many there are of what lies along every axis, by name, when a case is computed."""
    found: dict[str, int] = {}

    def watched(step: ProgramStep) -> Do:
        def do(*values: Any) -> Any:
            result = step.do(*values)
            given = (result,) if isinstance(step.gives, str) else result
            for name, one in zip(step.results, given, strict=True):
                axes = program.values[name].axes if name in program.values else ()
                if axes and np.ndim(one) == len(axes):
                    found.update({a: n for a, n in zip(axes, np.shape(one), strict=True) if a not in found})
            return result

        return do

    watch = {
        step.name: watched(step) for step in program.steps if any(r in program.values for r in step.results)
    }
    compute(watch)
    return {name: size for name, size in found.items() if name != "one" and size > 1}


def recognised(seen: Sequence[tuple[float, Mapping[str, int]]]) -> Iterator[tuple[str, Sized]]:
    """A number that was estimated at several sizes, in words: a power of a size, or the same everywhere.

    >>> next(recognised([(0.125, {"keys": 64, "heads": 3}), (0.2, {"keys": 25, "heads": 3})]))[0]
    'one over the root of the number of keys'
    """
    numbers = np.array([number for number, _ in seen])
    constant, same = float(numbers[0]), np.allclose(numbers, numbers[0], rtol=1e-5)
    if same and (plain := _plain(constant)):
        yield plain, lambda sizes: constant
    shared = [name for name in seen[0][1] if all(name in sizes for _, sizes in seen)]
    for factor, power, name in product(FACTORS, POWERS, shared):
        if all(abs(factor * s[name] ** power - n) < 1e-5 * abs(n) for n, s in seen):
            yield _words(factor, power, name), partial(_power, factor, power, name)
    for (one, two), power in product(combinations(shared, 2), POWERS):
        if all(abs((s[one] * s[two]) ** power - n) < 1e-5 * abs(n) for n, s in seen):
            yield _words(1, power, f"{one} times the number of {two}"), partial(_powers, power, one, two)
    if same:
        yield f"{constant:.6g}", lambda sizes: constant


def _power(factor: float, power: float, name: str, sizes: Mapping[str, int]) -> float:
    return factor * sizes.get(name, 1) ** power


def _powers(power: float, one: str, two: str, sizes: Mapping[str, int]) -> float:
    return (sizes.get(one, 1) * sizes.get(two, 1)) ** power


def _plain(number: float) -> str | None:
    """A number that people write: a small fraction, or a whole number.

    >>> _plain(0.5), _plain(1.7182)
    ('0.5', None)
    """
    if words := next((words for value, words in LOGARITHMS.items() if abs(number - value) < 1e-6), ""):
        return words
    for digits in (0, 1, 2):
        if abs(number - round(number, digits)) < 1e-6 * max(abs(number), 1) and abs(number) > 1e-2:
            return f"{round(number, digits):g}"
    return None


LOGARITHMS = {
    float(np.log(2)): "the natural logarithm of 2, as powers of 2 in place of powers of e have it",
    float(np.log2(np.e)): "the logarithm of e to the base 2, as for powers of 2",
}
NAMED = {
    1: "{}",
    -1: "one over {}",
    0.5: "the root of {}",
    -0.5: "one over the root of {}",
    2: "the square of {}",
}
NAMED |= {
    -2: "one over the square of {}",
    0.25: "the fourth root of {}",
    -0.25: "one over the fourth root of {}",
}


def _words(factor: float, power: float, name: str) -> str:
    size = NAMED.get(power, f"the power {power:.3g} of {{}}").format(f"the number of {name}")
    return size if factor == 1 else f"{factor:.4g} times {size}"


def mistake(place: ProgramNumber, words: str, number: float) -> Mistake:
    """A constant that was found, as the checker's mistakes are written."""
    name = place.step.name.replace(" ", "-")
    fix = "use the number that the contract has" if place.way == "is" else "leave the number out"
    return Mistake(
        slug=f"{name}-{place.way}-number",
        cause=place.says(words),
        remedy=fix,
        look=place.step.look,
        forms=(place.steps(number),),
    )
