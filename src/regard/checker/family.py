"""The family of known mistakes: its nearest member names the cause, if it is near and the others are far."""

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import reduce
from itertools import combinations
from typing import Any

import numpy as np

from regard.checker.contract import Case, Contract, Convention, Mistake, Steps, WeightMap
from regard.checker.grammar.confirm import Confirmation
from regard.checker.grammar.constants import estimated, places, sizes
from regard.checker.grammar.edits import generated

TIGHT = {"float64": 1e-6, "float32": 1e-4}
"The largest distance that counts as the same function, by precision."
USUAL, FEW = 3, 82
"How many programs of one mistake are tried together with another mistake, unless there are few in all."
PATIENCE = 60.0
"Seconds for which known programs are compared."
HUGE = 1000
"Times its size: how much more a difference is says nothing."
MORE = 1.5
"Seconds for each kind of program that is tried only if there is time: edits under conventions, two edits."
FAR = 100.0
"How many times farther the next must be."


class Exhausted(Exception):
    """There are more known programs than there is time for at these sizes."""


@dataclass(frozen=True)
class Member:
    """One program: a reading of the weights with some steps replaced."""

    frame: WeightMap
    steps: Steps
    mistakes: tuple[Mistake, ...] = ()
    conventions: tuple[Convention, ...] = ()
    edited: bool = False
    "Whether it comes from the grammar, so that its name must be confirmed."

    @property
    def slugs(self) -> tuple[str, ...]:
        """The mistakes it makes."""
        return tuple(sorted(m.slug for m in self.mistakes))

    @property
    def assumed(self) -> int:
        """How many conventions it takes for granted."""
        return len(self.conventions) + len(self.frame.conventions)


@dataclass(frozen=True)
class Match:
    """The members that are the person's function, as far as the probes can tell; and how far the next one is."""

    members: tuple[Member, ...]
    distance: float
    runner: float
    next: Member | None
    "The nearest program that makes other mistakes."
    words: tuple[str, ...] = ()
    "Other sentences for the same function."

    @property
    def runner_slugs(self) -> tuple[str, ...]:
        """The mistakes of the next program."""
        return self.next.slugs if self.next else ()

    def mistake(self, slug: str) -> Mistake:
        """The mistake of that name."""
        found = [m for member in (*self.members, self.next) if member for m in member.mistakes]
        return next(m for m in found if m.slug == slug)

    @property
    def best(self) -> Member:
        """The simplest of them."""
        return self.members[0]

    @property
    def facts(self) -> dict[str, Any]:
        """What laws may know of it: the reading of the weights, the steps, the conventions, the mistakes."""
        agreed = [convention.slug for convention in self.best.conventions]
        return {"frame": self.best.frame, "steps": self.best.steps, "agreed": agreed, "named": self.slugs}

    @property
    def slugs(self) -> tuple[tuple[str, ...], ...]:
        """Each different set of mistakes that explains it."""
        return tuple(dict.fromkeys(member.slugs for member in self.members))


Pair = tuple[float, Member]


def distance(actual: np.ndarray, expected: np.ndarray) -> float:
    """Root mean square of the difference, as a share of what was expected; infinite where NaNs differ.

    Where nothing is finite there is nothing to compare: not a number.

    >>> distance(np.array([3.0, 4.0]), np.array([3.0, 4.0])), distance(np.array([0.0, 0.0]), np.array([3.0, 4.0]))
    (0.0, 1.0)
    """
    if actual.shape != expected.shape:
        return np.inf
    holes = ~np.isfinite(expected)
    if not np.array_equal(~np.isfinite(actual), holes):
        return np.inf
    wanted, got = expected[~holes], actual[~holes]
    if not wanted.size:
        return np.nan
    with np.errstate(all="ignore"):
        size = np.sqrt(np.mean(wanted**2))
        off = float(np.sqrt(np.mean((got - wanted) ** 2)) / (size if size > 0 else 1.0))
    return np.inf if np.isnan(off) else off


def percent(gap: float) -> str:
    """A distance in words.

    >>> percent(0.25), percent(3e-4), percent(1.004), percent(48.4), percent(5e8)
    ('25 %', '0.03 %', '100 %', '48 times its size', 'more than 1,000 times its size')
    """
    if not np.isfinite(gap):
        return "more than can be told (NaNs or shapes differ)"
    if gap >= HUGE:
        return f"more than {HUGE:,} times its size"
    if gap >= 10:
        return f"{gap:.0f} times its size"
    return f"{100 * gap:.2g} %" if gap < 0.995 else f"{100 * gap:.0f} %"


def apart(what: str, gap: float) -> str:
    """How far something is away, in words.

    >>> apart("the reference", 0.25), apart("the reference", float("inf"))
    ('the reference is 25 % away', 'the reference cannot be compared: NaNs or shapes differ')
    """
    if not np.isfinite(gap):
        return f"{what} cannot be compared: NaNs or shapes differ"
    return f"{what} is {percent(gap)} away"


def computed(contract: Contract, case: Case, frame: WeightMap, steps: Steps) -> np.ndarray | None:
    """What a program answers; None where these sizes do not allow it, as k and v of different widths."""
    try:
        return contract.reference(case, frame, steps)
    except (ValueError, IndexError, KeyError, TypeError, ZeroDivisionError, np.linalg.LinAlgError):
        return None


def _one_after_other(changes: list[Callable[..., np.ndarray]]) -> Callable[..., np.ndarray]:
    """Several changes of a graph, as loops that are added to one that is turned."""
    return lambda a: reduce(lambda held, change: change(held), changes, a)


class Family:
    """The person's answers beside every member's."""

    def __init__(
        self,
        contract: Contract,
        frames: list[WeightMap],
        cases: list[Case],
        answers: list[np.ndarray],
        confirm: Confirmation | None = None,
    ) -> None:
        self.contract, self.frames = contract, frames
        self.cases, self.answers = cases, answers
        self.measured: list[Pair] = []
        self.confirm = confirm

    def readable(self) -> WeightMap | None:
        """The first reading of the weights under which the reference can be computed at all."""
        return next(
            (f for f in self.frames if computed(self.contract, self.cases[0], f, {}) is not None), None
        )

    def far(self, member: Member, *, stop: float = np.inf) -> float:
        """The largest distance over all cases; it stops at the first that is beyond `stop`."""
        worst, compared = 0.0, False
        for case, answer in zip(self.cases, self.answers, strict=True):
            expected = computed(self.contract, case, member.frame, member.steps)
            if expected is None:
                return np.inf
            gap = distance(answer, expected)
            if not np.isnan(gap):
                worst, compared = max(worst, gap), True
            if worst > stop:
                break
        return worst if compared else np.inf

    def find(self, kind: str) -> Match | None:
        """The first stage at which somebody is near: right, conventions, one mistake, two mistakes.

        What computes in float32 inside a float64 call is near nobody at first; then the looser limit counts.
        """
        first, others = self.frames[:1], self.frames[1:]
        plain = Member(first[0], {})
        stages: tuple[tuple[Iterable[Pair], float], ...] = (
            (self._far(self.right()), PATIENCE),
            (self._far(self.single(first)), PATIENCE),
            (self._far(self.single(others, conventions=0)), PATIENCE),
            (self._far(self.edited([plain])), PATIENCE),
            (self.numbers(kind), PATIENCE),
            (self._far(self.double([plain])), PATIENCE),
            (self._far(self.edited(Member(frame, {}) for frame in others)), MORE),
            (self._far(self.single(others[:1], conventions=1)), 2 * MORE),
            (self._far(self.edited(self._conventions(first[0], 1))), MORE),
            (self._far(self.double(self._conventions(first[0], 1))), 2 * MORE),
            (self._far(self.further(plain)), MORE),
        )
        seen: list[list[Pair]] = []
        until = time.monotonic() + PATIENCE
        for stage, seconds in stages:
            seen.append(list(self._timed(stage, until, seconds)))
            self.measured += seen[-1]
            near = [pair for pair in seen[-1] if pair[0] < TIGHT[kind]]
            if found := self._match(near):
                return found
        loose = ([pair for pair in stage if pair[0] < TIGHT["float32"]] for stage in seen)
        return next((match for near in loose if (match := self._match(near))), None)

    def read_otherwise(self, frames: list[WeightMap], kind: str) -> Match | None:
        """The reference itself, under other readings of the weights."""
        return self._match(
            [(gap, m) for gap, m in self._far(Member(f, {}) for f in frames) if gap < TIGHT[kind]]
        )

    def _far(self, stage: Iterable[Member]) -> Iterator[Pair]:
        for member in stage:
            yield self.far(member, stop=0.1), member

    def _timed(self, stage: Iterable[Pair], until: float, seconds: float) -> Iterator[Pair]:
        """What a stage gives in its time; where it must be gone through whole, its time is that of all."""
        start = time.monotonic()
        for pair in stage:
            yield pair
            now = time.monotonic()
            if now > until:
                raise Exhausted
            if now - start > seconds:
                return

    def right(self) -> Iterator[Member]:
        """The reference, under every reading of the weights and every convention or two."""
        for frame in self.frames:
            yield Member(frame, {})
        for frame in self.frames:
            yield from self._conventions(frame, 2)
        # Three, of which two are stated or harmless, as a last resort.
        for frame in self.frames[:2]:
            yield from self._conventions(frame, 3, least=3, stated=True)

    def single(self, frames: list[WeightMap], *, conventions: int = 2) -> Iterator[Member]:
        """Every known mistake alone, then with conventions."""
        for frame in frames:
            base = [Member(frame, {}), *self._conventions(frame, conventions)]
            for mistake in self.contract.mistakes:
                for member in base:
                    for steps in mistake.forms:
                        if not set(steps) & set(member.steps):
                            yield Member(frame, member.steps | steps, (mistake,), member.conventions)

    def edited(self, bases: Iterable[Member]) -> Iterator[Member]:
        """Every edit of the reference's program, on each base."""
        made = generated(self.contract.program) if self.contract.program else ()
        for base in bases:
            for found in made:
                if not set(found.forms[0]) & set(base.steps):
                    steps = base.steps | found.forms[0]
                    yield Member(base.frame, steps, (found,), base.conventions, edited=True)

    def further(self, base: Member) -> Iterator[Member]:
        """An edit of the reference's program together with a known mistake, its most usual program."""
        made = generated(self.contract.program) if self.contract.program else ()
        for known in (m for m in self.contract.mistakes if m.forms):
            for found in made:
                if not set(found.forms[0]) & set(known.forms[0]):
                    yield Member(base.frame, known.forms[0] | found.forms[0], (known, found), edited=True)

    def numbers(self, kind: str) -> Iterator[Pair]:
        """Constants of the program, estimated from the answers and recognised."""
        program, frame = self.contract.program, self.frames[0]
        if program is None:
            return
        for place in places(program):
            seen: list[tuple[float, dict[str, int]]] = []
            for case, answer in zip(self.cases, self.answers, strict=True):

                def compute(steps: Steps, case: Case = case) -> np.ndarray | None:
                    return computed(self.contract, case, frame, steps)

                right = compute({}) if place.way == "clip" else None
                if right is not None and distance(answer, right) < TIGHT[kind]:
                    continue  # nothing reaches the bound here
                found = estimated(place, answer, compute, distance)
                if found and not found[1] < TIGHT[kind]:
                    break
                if found:
                    seen.append((found[0], sizes(program, compute)))
            else:
                if seen and self.confirm and (named := self.confirm.number(place, frame, seen)):
                    yield 0.0, Member(frame, named.forms[0], (named,))
                    return

    def double(self, bases: Iterable[Member]) -> Iterator[Member]:
        """Every two mistakes that replace different steps; of each mistake the most usual programs."""
        few = sum(len(mistake.forms) for mistake in self.contract.mistakes) <= FEW
        most = None if few else USUAL
        each = [(mistake, steps) for mistake in self.contract.mistakes for steps in mistake.forms[:most]]
        pairs = [
            (one, two, first | second)
            for (one, first), (two, second) in combinations(each, 2)
            if one is not two and not set(first) & set(second)
        ]
        for base in bases:
            for one, two, steps in pairs:
                if not set(base.steps) & set(steps):
                    yield Member(base.frame, base.steps | steps, (one, two), base.conventions)

    def _conventions(
        self, frame: WeightMap, most: int, *, least: int = 1, stated: bool = False
    ) -> Iterator[Member]:
        each = [
            (convention, steps)
            for convention in self.contract.conventions
            if set(convention.needs) <= {*frame.weights, *frame.facts}
            for steps in convention.forms
        ]
        each.sort(key=lambda pair: pair[0].slug not in self.contract.stated)
        for count in range(least, most + 1):
            for chosen in combinations(each, count):
                if stated and sum(c.slug in self.contract.stated for c, _ in chosen) < count - 1:
                    continue
                steps = {name: step for _, form in chosen for name, step in form.items()}
                graphs = [form["graph"] for _, form in chosen if "graph" in form]
                if len(graphs) > 1:
                    steps["graph"] = _one_after_other(graphs)
                if len(steps) + max(len(graphs) - 1, 0) == sum(len(form) for _, form in chosen):
                    yield Member(frame, steps, (), tuple(convention for convention, _ in chosen))

    def _holds(self, gap: float, member: Member) -> bool:
        """Whether a name from the grammar is confirmed by cases that it was not chosen by."""
        return not member.edited or not self.confirm or self.confirm.holds(member.frame, member.steps, gap)

    def _match(self, near: list[Pair]) -> Match | None:
        refuted = {id(member) for gap, member in near if not self._holds(gap, member)}
        near = [pair for pair in near if id(pair[1]) not in refuted]
        if not near:
            return None
        # Fewest conventions first: a member that needs none explains more.
        near_order = [id(member) for _, member in near]
        fewest = min(member.assumed for _, member in near)
        kept = sorted((pair for pair in near if pair[1].assumed == fewest), key=lambda pair: pair[0])
        slugs = {member.slugs for _, member in kept}
        others = [
            (gap, member)
            for gap, member in self.measured
            if member.slugs not in slugs and id(member) not in refuted
        ]
        runner = min(others, key=lambda pair: pair[0], default=(np.inf, None))
        members = tuple(member for _, member in kept)
        if all(member.edited for member in members):
            # Programs that agree wherever they were asked are one class: the likeliest speaks for it.
            members = tuple(sorted(members, key=lambda member: near_order.index(id(member))))
            words = dict.fromkeys(member.mistakes[-1].cause for member in members[1:])
            return Match(members[:1], kept[0][0], *runner, tuple(words)[:3])
        return Match(members, kept[0][0], *runner)
