"""A name is confirmed on fresh inputs, sizes and weights before it is said."""

from collections.abc import Callable
from dataclasses import replace
from functools import cached_property, partial

import numpy as np

from regard.checker.contract import Case, Contract, Mistake, Steps, WeightMap
from regard.checker.grammar.constants import ProgramNumber, Sized, mistake, recognised, sizes
from regard.checker.process.session import Lost, Raised
from regard.checker.reading.arguments import mean
from regard.checker.subject import Subject
from regard.checker.workbench import Unfit

Asked = list[tuple[Case, np.ndarray, list[WeightMap]]]
Compute = Callable[[Case, WeightMap, Steps], np.ndarray | None]
Gap = Callable[[np.ndarray, np.ndarray], float]
WIDER, HEADS = 24, 4
"What is added to the widths for the second making, and its number of heads."
GROWTH, ROUNDED = 1000.0, 1e-4
"By how much more than at first a rounding inside may be off at larger sizes, and the most that it may be."
SMALL, DATA = 0.2, ("query", "key", "value", "x")
"How small, and which inputs."


def _small(case: Case) -> Case:
    """The same with small inputs: large ones drive a softmax to its end, where many programs agree."""
    inputs = {name: x * SMALL if name in DATA else x for name, x in case.inputs.items()}
    return Case(name=f"{case.name}, small", inputs=inputs, facts=case.facts)


class Confirmation:
    """Cases that no name was chosen by: larger ones, and those of a second making with another width and other weights."""

    def __init__(
        self,
        contract: Contract,
        subject: Subject,
        said: dict[str, str],
        compute: Compute,
        gap: Gap,
        limit: float,
    ) -> None:
        self.contract, self.subject, self.said = contract, subject, said
        self.compute, self.gap, self.limit = compute, gap, limit

    @cached_property
    def larger(self) -> Asked:
        """Fresh inputs of other sizes, under the weights that are there."""
        rng = np.random.default_rng(23)
        growing = self.contract.growing(self.subject, rng)
        cases = [*self.contract.cases(self.subject, rng)[:1], *growing[:1], *growing[-2:-1]]
        return self._answered(self.subject, cases)

    @cached_property
    def wider(self) -> Asked:
        """The same of a second making; nothing where its sizes are fixed."""
        bench = self.subject.bench
        if bench.made is not None or bench.making is not None:
            return []
        heads = {p["name"]: str(HEADS) for p in bench.member["parameters"] if mean(p["name"], ["heads"])}
        try:
            other = self.contract.adapt(replace(bench, stretch=WIDER, said=heads | self.said, doubts=[]))
            cases = self.contract.cases(other, np.random.default_rng(29))[:1]
        except (Raised, Lost, Unfit, KeyError):
            return []
        return self._answered(other, cases)

    def _answered(self, subject: Subject, cases: list[Case]) -> Asked:
        found = []
        for case in [*cases, *map(_small, cases[:1])]:
            try:
                found.append((case, subject.answer(case), subject.frames))
            except (Raised, Unfit):
                continue  # a size that it does not take
        return found

    def holds(self, frame: WeightMap, steps: Steps, gap: float = 0.0) -> bool:
        """Whether a program that was found, with some gap, answers the fresh cases as the person's code does."""
        limit = max(self.limit, min(GROWTH * gap, ROUNDED))
        fresh = [(case, answer, [frame]) for case, answer, _ in self.larger] + self.wider
        return all(self._near(*asked, steps, limit) for asked in fresh)

    def _near(
        self, case: Case, answer: np.ndarray, frames: list[WeightMap], steps: Steps, limit: float
    ) -> bool:
        for frame in frames:
            found = self.compute(case, frame, steps)
            if found is not None and not self.gap(answer, found) > limit:
                return True
        return False

    def number(
        self, place: ProgramNumber, frame: WeightMap, seen: list[tuple[float, dict[str, int]]]
    ) -> Mistake | None:
        """A constant that was estimated at some sizes, in the first words that hold at two more."""
        for words, number in recognised(seen):
            if all(self._fits(place, number, *asked) for asked in self._asked(frame)):
                return mistake(place, words, seen[0][0])
        return None

    def _asked(self, frame: WeightMap) -> Asked:
        own = [(case, answer, [frame]) for case, answer, _ in self.larger]
        return [*own, *((case, answer, frames[:2]) for case, answer, frames in self.wider)]

    def _fits(
        self, place: ProgramNumber, number: Sized, case: Case, answer: np.ndarray, frames: list[WeightMap]
    ) -> bool:
        assert self.contract.program
        for frame in frames:
            compute = partial(self.compute, case, frame)
            found = compute(place.steps(number(sizes(self.contract.program, compute))))
            if found is not None and not self.gap(answer, found) > self.limit:
                return True
        return False
