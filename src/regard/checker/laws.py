"""Laws that need only something to call: each finds the smallest case that breaks it."""

from collections.abc import Callable

import numpy as np

from regard.checker.contract import Broken, Case, Law
from regard.checker.session import Raised
from regard.checker.subject import Subject

MOVES = {"float64": 1e-7, "float32": 1e-3}
"A change of the output beyond this, relative to its size, is a change."

Test = Callable[[Subject, np.random.Generator], Broken | None]


def gap(one: np.ndarray, two: np.ndarray) -> float:
    """The largest difference, as a share of the largest value; infinite where NaNs or shapes differ."""
    if one.shape != two.shape or not np.array_equal(np.isfinite(one), np.isfinite(two)):
        return np.inf
    fine = np.isfinite(one)
    if not fine.any():
        return 0.0
    return float(np.abs(one - two)[fine].max() / max(np.abs(one[fine]).max(), 1e-300))


def unsteady(subject: Subject, probe: Case) -> Broken | None:
    """How much two calls with the same input differ, and whether chance or memory makes the difference."""
    first, second = subject.answer(probe, seed=1), subject.answer(probe, seed=2)
    moved = gap(first, second)
    if moved <= MOVES[subject.kind]:
        return None
    words = f"two calls in eval() with the same input differ by {moved:.3g} of the output's size"
    chance = gap(subject.answer(probe, seed=1), subject.answer(probe, seed=1)) <= MOVES[subject.kind]
    return Broken(number=moved, words=words, slug="dropout-in-eval" if chance else "state-between-calls")


def steady(case: Callable[[Subject, np.random.Generator], Case]) -> Law:
    """The same input twice gives the same output."""

    def test(subject: Subject, rng: np.random.Generator) -> Broken | None:
        return subject.facts.get("unsteady") or unsteady(subject, case(subject, rng))

    return Law(
        name="steady", says="the same input gives the same output in eval()", test=test, look="dropout"
    )


def memoryless(cases: Callable[[Subject, np.random.Generator], tuple[Case, Case]]) -> Law:
    """A call in between changes nothing."""

    def test(subject: Subject, rng: np.random.Generator) -> Broken | None:
        one, other = cases(subject, rng)
        before = subject.answer(one)
        subject.answer(other)
        moved = gap(before, subject.answer(one))
        if moved <= MOVES[subject.kind]:
            return None
        words = f"asking A, B, A: the second answer to A differs from the first by {moved:.3g} of its size"
        return Broken(number=moved, words=words, slug="state-between-calls")

    return Law(name="memoryless", says="earlier calls do not change later answers", test=test)


def untouched(case: Callable[[Subject, np.random.Generator], Case]) -> Law:
    """Inputs are as before after a call."""

    def test(subject: Subject, rng: np.random.Generator) -> Broken | None:
        subject.changed.clear()
        subject.answer(case(subject, rng))
        if not subject.changed:
            return None
        return Broken(
            number=1.0,
            words="after a call the input tensor holds other numbers than before",
            slug="input-modified",
        )

    return Law(name="untouched", says="the input is not written into", test=test)


def apart(case: Callable[[Subject, np.random.Generator], Case], along: tuple[str, ...]) -> Law:
    """Each sample of a batch is answered as if it were alone."""

    def test(subject: Subject, rng: np.random.Generator) -> Broken | None:
        probe = case(subject, rng)
        before = subject.answer(probe)
        for changed, watched in ((1, 0), (0, 1)):
            other = {name: value.copy() for name, value in probe.inputs.items()}
            for name in along:
                other[name][changed] = rng.standard_normal(other[name][changed].shape)
            after = subject.answer(Case(name=probe.name, inputs=other, facts=probe.facts))
            moved = gap(before[watched : watched + 1], after[watched : watched + 1])
            if moved > MOVES[subject.kind]:
                words = f"changing sample {changed} of a batch of 2 moves the output of sample {watched} by {moved:.3g} of its size"
                return Broken(number=moved, words=words)
        return None

    return Law(
        name="apart",
        says="one sample of a batch does not see another",
        test=test,
        look="view transpose softmax",
    )


def finite(case: Callable[[Subject, np.random.Generator], Case], along: tuple[str, ...], size: float) -> Law:
    """Large inputs give finite outputs, as usual ones do."""

    def test(subject: Subject, rng: np.random.Generator) -> Broken | None:
        calm = case(subject, rng)
        large = {name: value * size if name in along else value for name, value in calm.inputs.items()}
        for inputs, what, slug in (
            (calm.inputs, "inputs of the usual size", ""),
            (large, f"inputs {size:g} times as large", "softmax-unstable"),
        ):
            holes = ~np.isfinite(subject.answer(Case(name=calm.name, inputs=inputs, facts=calm.facts)))
            if holes.any():
                words = f"{what}: {holes.mean():.0%} of the output is NaN or infinite"
                return Broken(number=float(holes.mean()), words=words, slug=slug)
        return None

    return Law(name="finite", says="finite inputs give finite outputs", test=test, look="exponential softmax")


def flowing(case: Callable[[Subject, np.random.Generator], Case]) -> Law:
    """Autograd agrees with finite differences of the person's own forward, in one random direction."""

    def test(subject: Subject, rng: np.random.Generator) -> Broken | None:
        if not subject.made.module or subject.method:
            return None
        probe = case(subject, rng)
        values, named = subject.enter(probe)
        base = subject.answer(probe)
        if not np.isfinite(base).all() or gap(base, subject.answer(probe)) > MOVES[subject.kind]:
            return None
        direction = rng.standard_normal(base.shape)
        slopes = subject.bench.line.ask(
            "slope", subject.made.number, values, named=named, direction=direction, kind=subject.kind
        )
        subject.facts["unreached"] = [name for name, slope in slopes["weights"].items() if slope is None]
        return _cut(subject, probe, slopes["weights"], direction, rng)

    return Law(name="gradient", says="gradients reach every weight that matters, and are right", test=test)


def _cut(
    subject: Subject, probe: Case, slopes: dict, direction: np.ndarray, rng: np.random.Generator
) -> Broken | None:
    step = 1e-5 if subject.kind == "float64" else 1e-2
    now = {name: value for name, value in subject.facts["drawn"].items() if name in slopes}
    worst: tuple[float, str] = (0.0, "")
    for name, value in now.items():
        way = rng.standard_normal(value.shape)
        try:
            subject.set({name: value + step * way})
            up = subject.answer(probe)
            subject.set({name: value - step * way})
            down = subject.answer(probe)
        except Raised:
            continue
        finally:
            subject.set({name: value})
        measured = float(((up - down) * direction).sum() / (2 * step))
        told = 0.0 if slopes[name] is None else float((slopes[name] * way).sum())
        size = max(abs(measured), abs(told), 1e-2)
        if np.isfinite(measured) and abs(measured - told) / size > worst[0]:
            worst = (
                abs(measured - told) / size,
                f"{name}: autograd says {told:.4g}, differences say {measured:.4g}",
            )
    if worst[0] < (1e-2 if subject.kind == "float64" else 0.2):
        return None
    return Broken(number=worst[0], words=worst[1], slug="gradient-cut")
