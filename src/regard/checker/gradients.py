"""Gradient check: autograd beside finite differences of the person's own forward."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from regard.checker.contract import Broken, Case, Law
from regard.checker.laws import MOVES, gap
from regard.checker.process.session import Raised
from regard.checker.subject import Subject

DIRECTIONS = 3
"Random directions in which the input is moved."
STEPS = {
    "float64": ((1e-5, 1e-2), (1e-7, 1e-2), (1e-3, 2e-2)),
    "float32": ((3e-3, 5e-2), (1e-2, 5e-2)),
}
"Steps of the differences with the share by which autograd may be off: only what fails at all is wrong."
WEIGHTS = {"float64": ((1e-5, 1e-2), (1e-7, 1e-2), (1e-3, 2e-2)), "float32": ((1e-2, 0.2),)}
"The same for a weight; a fine step is for a kink nearby, the last one for what computes in float32 inside."


SINGLE, COARSE = 3e-7, 1e-3
"What float32 rounds, and the step that is taken for what computes in float32 inside."
TINY, MOSTLY = 1e-9, 0.5
"A step that float64 sees and a lower precision does not, and the share of an answer that then stands still."
ROUNDS = re.compile(r"\.half\(|float16|\.round\(")
"Code that rounds."
CUTS = re.compile(r"\.detach\(|\.data\b|no_grad|inference_mode|\.item\(")
"Code that cuts gradients off in so many words."


@dataclass(frozen=True)
class Total:
    """One number made of an answer: the sum of some of its arrays times random directions."""

    parts: list[int]
    directions: list[np.ndarray]
    size: float = 0.0
    "The sum of the absolute terms: what is rounded in them is no slope."

    def of(self, subject: Subject, case: Case) -> float:
        """The number for one case."""
        found = arrays(subject.raw(*subject.enter(case)))
        return sum(float((found[p] * d).sum()) for p, d in zip(self.parts, self.directions, strict=True))


def flowing(case: Callable[[Subject, np.random.Generator], Case], along: tuple[str, ...]) -> Law:
    """Autograd agrees with finite differences, for the inputs in a few random directions and for every weight in one."""

    def test(subject: Subject, rng: np.random.Generator) -> Broken | None:
        if not subject.real or "fit" in subject.made.methods or _plain(subject):
            return None  # nothing to call, or something that learns without gradients
        probe = case(subject, rng)
        values, named = subject.enter(probe)
        base = subject.answer(probe)
        if not np.isfinite(base).all() or gap(base, subject.answer(probe)) > MOVES[subject.kind]:
            return None
        found = arrays(subject.raw(values, named))
        parts = chosen(found, base.size)
        if not parts:
            return None
        ways = [rng.standard_normal(found[part].shape) for part in parts]
        size = sum(float(np.abs(found[p] * way).sum()) for p, way in zip(parts, ways, strict=True))
        total = Total(parts, ways, size)
        try:
            slopes = told_by_autograd(subject, values, named, total)
        except Raised as error:
            if "requires grad" not in error.words:
                raise
            words = error.words.splitlines()[0][:150]
            slopes = _counted(subject, probe, along, total)
            if slopes is None:
                return Broken(number=np.inf, words=words, slug="gradient-cut")
        if slopes is None:
            return None  # its answers are arrays of numpy
        weights = slopes["weights"]
        subject.facts["unreached"] = [name for name, slope in weights.items() if slope is None]
        if any(isinstance(value, dict) for value in values):
            return _weights(subject, probe, weights, total, rng)  # inputs inside a tuple cannot be followed
        return _inputs(subject, probe, along, slopes["inputs"], total, rng) or _weights(
            subject, probe, weights, total, rng
        )

    says = "gradients reach the input and every weight that matters, and are right"
    return Law(name="gradient", says=says, test=test)


def _counted(
    subject: Subject, probe: Case, along: tuple[str, ...], total: Total
) -> dict[str, dict[str, Any]] | None:
    """The gradients where inputs that nobody learns from come as whole numbers, as a graph may; None where that is no help."""
    values, named = subject.enter(probe)
    moved, _ = subject.enter(_moved(probe, {name: np.ones_like(probe[name]) for name in along}, 1.0))
    pairs = list(zip(values, moved, strict=True))
    alike = [isinstance(a, np.ndarray) and a.dtype.kind == "f" and np.array_equal(a, b) for a, b in pairs]
    whole = [v.astype(np.int64) if same else v for v, same in zip(values, alike, strict=True)]
    if not any(alike) or any(not np.array_equal(v, w) for v, w in zip(values, whole, strict=True)):
        return None
    try:
        return told_by_autograd(subject, whole, named, total)
    except Raised:
        return None


def _plain(subject: Subject) -> bool:
    """Whether a file computes with plain numbers: by Python's own mathematics, and without torch."""
    source = subject.bench.source
    return bool(source.bound_to("math")) and not source.bound_to("torch")


def told_by_autograd(
    subject: Subject, values: list[Any], named: dict[str, Any], total: Total
) -> dict[str, dict[str, Any]] | None:
    """The gradients of the total, of weights and of inputs by name; None for numpy."""
    return subject.bench.line.ask(
        "slope",
        subject.made.number,
        values,
        named=named | subject.bench.calling,
        method=subject.method,
        kind=subject.kind,
        parts=total.parts,
        directions=total.directions,
        fresh=subject.fresh,
    )


def arrays(answer: Any) -> list[np.ndarray]:
    """The arrays in an answer, in order."""
    if isinstance(answer, np.ndarray):
        return [answer]
    return [found for part in answer for found in arrays(part)] if isinstance(answer, list) else []


def chosen(found: list[np.ndarray], size: int) -> list[int]:
    """Which arrays of an answer are the output: the first of its size, or the first few that make it up together.

    >>> chosen([np.zeros(4), np.zeros(6)], 6), chosen([np.zeros(3), np.zeros(3), np.zeros(9)], 6)
    ([1], [0, 1])
    """
    for i, array in enumerate(found):
        if array.size == size and array.dtype.kind == "f":
            return [i]
    together = np.cumsum([array.size for array in found]).tolist()
    floats = all(array.dtype.kind == "f" for array in found)
    return list(range(together.index(size) + 1)) if size in together and floats else []


def _inputs(
    subject: Subject,
    probe: Case,
    along: tuple[str, ...],
    slopes: dict[str, Any],
    total: Total,
    rng: np.random.Generator,
) -> Broken | None:
    ways = [{name: rng.standard_normal(probe[name].shape) for name in along} for _ in range(DIRECTIONS)]
    told, measured, off = np.zeros(DIRECTIONS), np.zeros(DIRECTIONS), 0.0
    for step, allowed in STEPS[subject.kind]:
        for i, way in enumerate(ways):
            up, down = (_moved(probe, way, sign * step) for sign in (1, -1))
            measured[i] = (total.of(subject, up) - total.of(subject, down)) / (2 * step)
            told[i] = _told(subject, up, down, slopes) / (2 * step)
        size = max(np.linalg.norm(measured), np.linalg.norm(told), 1e-6)
        off = float(np.linalg.norm(measured - told) / size)
        if not off > allowed:
            return None
    if (still := _unmoved(subject, probe, ways[0])) > MOSTLY:
        words = f"an input moved by {TINY:g}: {still:.0%} of the answer does not move at all"
        return Broken(number=still, words=words, slug="rounded-inside")
    worst = int(np.abs(measured - told).argmax())
    words = f"the input: autograd says {told[worst]:.4g}, differences say {measured[worst]:.4g}"
    return Broken(number=off, words=words, slug=_why(subject))


def _unmoved(subject: Subject, probe: Case, way: dict[str, np.ndarray]) -> float:
    """The share of an answer that a tiny step leaves as it is, to the last digit: what is rounded moves in stairs."""
    before, entered = subject.answer(probe), arrays(subject.enter(probe)[0])
    moved = [_moved(probe, {name: way[name]}, TINY) for name in way]
    # What takes one sequence as queries, keys and values does not see all of them.
    seen = [case for case in moved if _differ(entered, arrays(subject.enter(case)[0]))]
    return max((float((before == subject.answer(case)).mean()) for case in seen), default=0.0)


def _differ(first: list[np.ndarray], second: list[np.ndarray]) -> bool:
    return any(not np.array_equal(one, two) for one, two in zip(first, second, strict=True))


def _moved(probe: Case, way: dict[str, np.ndarray], step: float) -> Case:
    inputs = probe.inputs | {name: probe[name] + step * way[name] for name in way}
    return Case(name=probe.name, inputs=inputs, facts=probe.facts)


def _told(subject: Subject, up: Case, down: Case, slopes: dict[str, Any]) -> float:
    """What the gradients say of the difference between two inputs, as the person's code takes them."""
    total = 0.0
    (high, high_named), (low, low_named) = subject.enter(up), subject.enter(down)
    pairs = [(str(i), *pair) for i, pair in enumerate(zip(high, low, strict=True))]
    pairs += [(name, high_named[name], low_named[name]) for name in high_named]
    for name, one, two in pairs:
        if slopes.get(name) is not None:
            total += float((slopes[name] * (one - two)).sum())
    return total


def _weights(
    subject: Subject, probe: Case, slopes: dict[str, Any], total: Total, rng: np.random.Generator
) -> Broken | None:
    worst: tuple[float, str] = (0.0, "")
    for name, value in subject.facts["drawn"].items():
        if name not in slopes:
            continue
        way = alike(value, rng.standard_normal(value.shape))
        told = 0.0 if slopes[name] is None else float((slopes[name] * way).sum())
        measured, off = 0.0, 0.0
        for step, allowed in WEIGHTS[subject.kind]:
            measured = _measured(subject, probe, total, name, step * way) / (2 * step)
            noise = SINGLE * total.size / step if step >= COARSE else 0.0
            off = abs(measured - told) / max(abs(measured), abs(told), 1e-2, noise)
            if not off > allowed:
                break
        else:
            if off > worst[0]:
                worst = (off, f"{name}: autograd says {told:.4g}, differences say {measured:.4g}")
    return Broken(number=worst[0], words=worst[1], slug=_why(subject)) if worst[1] else None


def _why(subject: Subject) -> str:
    """What makes gradients and differences disagree: stairs, where what runs rounds and cuts nothing; else a cut."""
    source, name = subject.bench.source, subject.bench.name
    rounds, cuts = ROUNDS.search(source.text_of(name)), CUTS.search(source.running(name))
    return "rounded-inside" if rounds and not cuts else "gradient-cut"


def alike(value: np.ndarray, way: np.ndarray) -> np.ndarray:
    """A change that leaves a symmetric weight symmetric, as a covariance must be.

    >>> alike(np.eye(2), np.array([[0.0, 2.0], [4.0, 1.0]]))
    array([[0., 3.],
           [3., 1.]])
    """
    square = value.ndim > 1 and value.shape[-1] == value.shape[-2]
    if not square or not np.array_equal(value, value.swapaxes(-1, -2)):
        return way
    return (way + way.swapaxes(-1, -2)) / 2


def _measured(subject: Subject, probe: Case, total: Total, name: str, way: np.ndarray) -> float:
    """How the total changes from one side of a weight to the other; not a number where it cannot be asked."""
    value = subject.facts["drawn"][name]
    try:
        subject.set({name: value + way})
        up = total.of(subject, probe)
        subject.set({name: value - way})
        return up - total.of(subject, probe)
    except Raised:
        return np.nan
    finally:
        subject.set({name: value})
