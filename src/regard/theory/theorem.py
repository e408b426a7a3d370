"""A theorem: what it says, how it follows step by step, the numbers that test it, and the knob that breaks it."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import inf, sqrt
from typing import Any, Literal

import numpy as np

from regard.theory.reader import parse
from regard.theory.value import Bindings, defined, gaps

POINTS = 5  # random points at which each step is checked
ERRORS = 4.5  # standard errors that a true prediction may be missed by
BROKEN = 10.0  # standard errors that a broken one must be missed by
TOLERANCE = 1e-6  # by which an exact prediction may be missed in any instance, as a share of it, or of 1 if it is smaller
APART = 1e-3  # by which a broken one must be missed in some instance


@dataclass(frozen=True, kw_only=True)
class ProofStep:
    """A sentence and its formula. The formula is computed as it is written; where that is not sensible, `check` gives a gap
    that must be below one, and `because` says why it is not computed from its source."""

    text: str
    formula: str = ""
    check: Callable[[Bindings], float] | None = None
    because: str = ""
    tolerance: float = 1e-8


@dataclass(frozen=True, kw_only=True)
class Conclusion:
    """The answer to a question, and the steps of the derivation that it rests on."""

    of: str
    "What it is about."
    answer: str
    "The sentence that stands where all these steps hold."
    steps: tuple[int, ...]
    "Their numbers, from 1 on."
    items: tuple[int, ...] = ()
    "The checklist items that it answers."
    aside: bool = False
    "Whether it says more than the theorem's question asks, so that the answer does not open with it."


@dataclass(frozen=True, kw_only=True)
class Sweep:
    """A prediction and what random instances gave, at each setting of a knob."""

    at: tuple[float, ...]
    predicted: tuple[float, ...]
    measured: tuple[tuple[float, ...], ...]
    each: tuple[tuple[float, ...], ...] = ()
    "What is predicted of every single instance, where instances differ; `predicted` is then their mean."
    broken: tuple[bool, ...] = ()
    "Where an assumption of the theorem does not hold; nowhere if empty."
    instead: tuple[float, ...] = ()
    "What theory says there instead, if it does."
    also: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    "Other curves to show beside it."
    formula: Callable[[float], float] | None = None
    "The prediction at any setting of the knob, where it has a formula: its curve is drawn by that, and not through `at`."


@dataclass(frozen=True, kw_only=True)
class Trial:
    """A prediction to be held against random instances: what is turned, what is measured, how to see it."""

    title: str
    knob: str
    quantity: str
    caption: str
    measure: Callable[[np.random.Generator, int], Sweep]
    relation: Literal["=", "≡", "≤", "≥"] = "="
    "How what is measured stands to what is predicted: equal in the mean, or in every instance, or bounded."
    scales: tuple[str, str] = ("linear", "linear")
    items: tuple[int, ...] = ()
    "Those of the theorem's checklist items that it settles; all of them, where none is named."

    @property
    def limit(self) -> float:
        """The largest miss with which the prediction stands: standard errors, a share of it, or of the bound."""
        return {"=": ERRORS, "≡": TOLERANCE}.get(self.relation, 1.0 + 1e-9)

    @property
    def fall(self) -> float:
        """The smallest miss that shows a prediction broken."""
        return {"=": BROKEN, "≡": APART}.get(self.relation, 1.0)


@dataclass(frozen=True)
class TrialOutcome:
    """What came of a trial."""

    trial: Trial
    sweep: Sweep

    def misses(self) -> list[float]:
        """At each setting: of a mean the gap in standard errors; of what is exact the largest gap of an
        instance; of a bound, measured over bound, or the inverse."""
        if self.trial.relation == "≡":
            return [max(gaps) for gaps in self.gaps()]
        return [self._miss(*pair) for pair in zip(self.sweep.predicted, self.sweep.measured, strict=True)]

    def gaps(self) -> list[list[float]]:
        """At each setting, how far each instance is from what is predicted of it, as a share of that or of 1."""
        sweep = self.sweep
        each = sweep.each or tuple(
            (one,) * len(found) for one, found in zip(sweep.predicted, sweep.measured, strict=True)
        )
        return [
            [float(abs(a - b) / max(1.0, abs(b))) for a, b in zip(found, expected, strict=True)]
            for found, expected in zip(sweep.measured, each, strict=True)
        ]

    def _miss(self, predicted: float, measured: tuple[float, ...]) -> float:
        if self.trial.relation in "≤≥" and predicted <= 0:
            return inf  # a ratio to such a bound says nothing
        if self.trial.relation == "≤":
            return float(max(measured) / predicted)
        if self.trial.relation == "≥":
            return float(predicted / min(measured)) if min(measured) > 0 else inf
        error = np.std(measured, ddof=1) / sqrt(len(measured)) if len(measured) > 1 else 0.0
        return float(abs(np.mean(measured) - predicted) / (error + 1e-9 * max(1.0, abs(predicted))))

    @property
    def broken(self) -> tuple[bool, ...]:
        return self.sweep.broken or (False,) * len(self.sweep.at)

    @property
    def intact(self) -> float:
        """The largest miss where every assumption holds."""
        return max(
            (miss for miss, off in zip(self.misses(), self.broken, strict=True) if not off), default=0.0
        )

    @property
    def fallen(self) -> float:
        """The largest miss where an assumption does not hold."""
        return max((miss for miss, off in zip(self.misses(), self.broken, strict=True) if off), default=0.0)

    @property
    def holds(self) -> bool:
        """The prediction stands where it should, and falls where an assumption was taken away."""
        return self.intact <= self.trial.limit and (not any(self.broken) or self.fallen > self.trial.fall)


@dataclass(frozen=True, kw_only=True)
class Theorem:
    """A result that the course assignments ask for, put to the test."""

    name: str
    title: str
    question: str
    assumptions: tuple[str, ...]
    statement: str
    conclusions: tuple[Conclusion, ...]
    "The statement as answers, each with its steps; together they rest on all of them."
    point: Callable[[np.random.Generator], dict[str, Any]]
    "Random values for the letters of the steps."
    steps: tuple[ProofStep, ...]
    trials: tuple[Trial, ...]
    "Predictions against random instances where all assumptions hold."
    breaks: tuple[Trial, ...]
    "The same with a knob that takes an assumption away."
    meaning: str
    "What a person should see in it."
    items: tuple[int, ...] = ()
    "Checklist items that are answered here."
    speaks_of: tuple[int, ...] = ()
    "Checklist items whose derivation this is, and which an experiment owns."
    elsewhere: tuple[str, ...] = ()
    "Those experiments."
    correction: str = ""
    instances: int = 40
    "Random instances at each setting, in quick runs."
    seconds: float = 1.0


@dataclass(frozen=True)
class Proof:
    """What came of putting a theorem to the test."""

    theorem: Theorem
    steps: tuple[float, ...]
    "The largest gap of each step, in units of what is allowed."
    outcomes: tuple[TrialOutcome, ...]
    seconds: float

    @property
    def failed(self) -> list[str]:
        """What did not hold, in words."""
        return [f"step {place}" for place, gap in enumerate(self.steps, 1) if not gap <= 1.0] + [
            one.trial.title for one in self.outcomes if not one.holds
        ]

    def plain(self) -> dict[str, Any]:
        """The outcome as JSON has it."""
        return {
            "name": self.theorem.name,
            "items": [*self.theorem.items],
            "steps": len(self.steps),
            "trials": [
                {"title": one.trial.title, "holds": one.holds, "miss": one.intact, "broken": one.fallen}
                for one in self.outcomes
            ],
            "failed": self.failed,
            "seconds": self.seconds,
        }


def check(theorem: Theorem, seed: int = 0, points: int = POINTS) -> list[float]:
    """The largest gap of each step over random points, in units of what is allowed."""
    worst = [0.0] * len(theorem.steps)
    for place in range(points):
        known = bindings(theorem, np.random.default_rng([seed, place]))
        worst = [max(before, gap(step, known)) for before, step in zip(worst, theorem.steps, strict=True)]
    return worst


def bindings(theorem: Theorem, random: np.random.Generator) -> dict[str, Any]:
    """Random values for the letters of a theorem, and what its steps define."""
    known = theorem.point(random)
    for step in theorem.steps:
        known |= defined(parse(step.formula)) if step.formula else {}
    return known


def gap(step: ProofStep, known: Bindings) -> float:
    """How far a step is from true, in units of what is allowed: above 1 it is false."""
    with np.errstate(all="ignore"):  # log 0 is minus infinity, as it is meant
        if step.check:
            found = step.check(known)
        else:
            tree = parse(step.formula) if step.formula else None
            found = max(gaps(tree, known, step.tolerance), default=0.0) if tree else 0.0
    return found if found == found else inf


def prove(theorem: Theorem, *, seed: int = 0, instances: int = 0) -> Proof:
    """Check every step, and hold every prediction against random instances."""
    start = time.perf_counter()
    steps = tuple(check(theorem, seed))
    count = instances or theorem.instances
    outcomes = tuple(
        TrialOutcome(trial, trial.measure(np.random.default_rng([seed, place]), count))
        for place, trial in enumerate((*theorem.trials, *theorem.breaks))
    )
    return Proof(theorem, steps, outcomes, time.perf_counter() - start)
