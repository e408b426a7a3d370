"""Laws that need only something to call: each finds the smallest case that breaks it."""

import re
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from regard.checker.contract import Broken, Case, Law
from regard.checker.process.session import Raised
from regard.checker.subject import Subject

RUNNING = re.compile(r"(^|\.)(running_(mean|var)|num_batches_tracked)$")
"Names of the statistics that a batch norm keeps."
MOVES = {"float64": 1e-6, "float32": 1e-3}
"A change of the output beyond this, relative to its size, is a change: no softmax in float32 inside makes as large a one."

Test = Callable[[Subject, np.random.Generator], Broken | None]


def gap(one: np.ndarray, two: np.ndarray) -> float:
    """The largest difference, as a share of the largest value; infinite where NaNs or shapes differ."""
    if one.shape != two.shape or not np.array_equal(np.isfinite(one), np.isfinite(two)):
        return np.inf
    fine = np.isfinite(one)
    if not fine.any():
        return 0.0
    return float(np.abs(one[fine] - two[fine]).max() / max(np.abs(one[fine]).max(), 1e-300))


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


def afresh(
    case: Callable[[Subject, np.random.Generator], Case],
    before: Callable[[Subject, np.random.Generator], Case] | None = None,
) -> Law:
    """Any call is answered as if it were the first, also after one (`before`) of the same sizes, and after one in train().

    Where it is not, everything else is judged by first calls alone: one mistake is not to look like others.
    """

    def test(subject: Subject, rng: np.random.Generator) -> Broken | None:
        if not subject.real:
            return None
        probe = case(subject, rng)
        try:
            first = replace(subject, fresh=True).answer(probe)
        except Raised:
            return None  # an object that was handed over ready made, or a file that can be imported only once
        subject.answer((before or case)(subject, rng))
        later = subject.answer(probe)
        broken = _moved(
            first, later, subject, "asked after other calls, a case gives another answer than as a first call"
        )
        broken = broken or _trained(subject, probe, later)
        subject.fresh = broken is not None
        return broken

    return Law(name="afresh", says="earlier calls do not change later answers", test=test, early=True)


def _trained(subject: Subject, probe: Case, before: np.ndarray) -> Broken | None:
    if not subject.made.module:
        return None
    subject.training(True)
    try:
        subject.answer(probe)
    except Raised:
        return None
    finally:
        subject.training(False)
        subject.set(running(subject))
    return _moved(before, subject.answer(probe), subject, "a call in train() changes the answer in eval()")


def running(subject: Subject) -> dict[str, np.ndarray]:
    """Statistics of a batch norm inside, as they are in a fresh object: train() changes them by design. A norm has none."""
    if "gain" in subject.frame.weights:
        return {}
    return {name: value for name, value in subject.made.weights.items() if RUNNING.search(name)}


def _moved(one: np.ndarray, two: np.ndarray, subject: Subject, words: str) -> Broken | None:
    moved = gap(one, two)
    if moved <= MOVES[subject.kind]:
        return None
    return Broken(number=moved, words=f"{words}: by {moved:.3g} of its size", slug="state-between-calls")


def untouched(case: Callable[[Subject, np.random.Generator], Case]) -> Law:
    """Inputs are as before after a call."""

    def test(subject: Subject, rng: np.random.Generator) -> Broken | None:
        subject.changed.clear()
        for _ in range(2):
            subject.answer(case(subject, rng))
        if "earlier answer" in subject.changed:
            words = "a later call writes into the answer that an earlier one gave"
            return Broken(number=1.0, words=words, slug="state-between-calls")
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
            try:
                holes = ~np.isfinite(subject.answer(Case(name=calm.name, inputs=inputs, facts=calm.facts)))
            except Raised as error:
                if not slug:
                    raise
                words = f"{what}: it raises {error.kind}: {error.words[:100]}"
                return Broken(number=np.inf, words=words, slug=slug)
            if holes.any():
                words = f"{what}: {holes.mean():.0%} of the output is NaN or infinite"
                return Broken(number=float(holes.mean()), words=words, slug=slug)
        return None

    return Law(name="finite", says="finite inputs give finite outputs", test=test, look="exponential softmax")


def lasting(case: Callable[[Subject, np.random.Generator], Case], along: tuple[str, ...], size: float) -> Law:
    """Large inputs leave no row empty that usual ones fill."""

    def test(subject: Subject, rng: np.random.Generator) -> Broken | None:
        calm = case(subject, rng)
        large = {name: value * size if name in along else value for name, value in calm.inputs.items()}
        usual = subject.answer(calm)
        try:
            strained = subject.answer(Case(name=calm.name, inputs=large, facts=calm.facts))
        except Raised:
            return None  # what does not take large inputs is told of by `finite`
        gone = _empty(strained) & ~_empty(usual)
        # An activation that cuts off what is negative may leave a row empty by itself.
        if not gone.any() or not (usual < 0).any():
            return None
        words = f"inputs {size:g} times as large: {gone.mean():.0%} of the rows vanish"
        return Broken(number=float(gone.mean()), words=words, slug="softmax-unstable")

    says = "large inputs leave no row empty"
    return Law(name="lasting", says=says, test=test, look="exponential softmax")


def _empty(answer: np.ndarray) -> np.ndarray:
    """Rows that are exactly zero."""
    return (answer == 0).all(axis=-1)
