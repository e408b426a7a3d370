"""Trial of a candidate: the changed file runs in a child process, and is held to the reference and to the laws that broke."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from regard.checker.choices import asked, said
from regard.checker.contract import Case, Contract, Steps
from regard.checker.family import TIGHT, Family, Member, computed
from regard.checker.fix.screen import FixScreen, Request, making
from regard.checker.growth import grown, stayed, stretched
from regard.checker.process.limits import ProcessLimits
from regard.checker.process.session import Lost, Raised, Session
from regard.checker.reading.definitions import missing
from regard.checker.reading.place import CodeFile, packaged
from regard.checker.reading.source import Source
from regard.checker.subject import Subject
from regard.checker.wishes import Wishes
from regard.checker.workbench import Unfit, Workbench

READINGS = 40
"Readings and conventions under which a changed file is compared."
MANY = 12
"Programs beyond which only the likeliest reading of the weights is considered."
TEXTS, OBJECTS = 400, 1000
"Texts whose objects are told apart, and the most objects of one."
LIMITS = ProcessLimits(call=4.0, whole=600.0)


TROUBLE = (Raised, Lost, Unfit, KeyError, IndexError, ValueError, AttributeError, TypeError, AssertionError)
"What a changed file may end in."


@dataclass(frozen=True, kw_only=True)
class FixGoal:
    """What a change must reach: the reference, or the reference with one of several mistakes left."""

    steps: tuple[Steps, ...] = ()
    "Programs that may be reached; none: the reference itself."
    laws: tuple[str, ...] = ()
    "Laws that broke and must hold."
    larger: bool = False
    "Whether it must hold at larger sizes and in later calls, because no law broke."


class FixSession(Session):
    """One child process for many texts, in each of which objects have numbers of their own.

    The process remembers of an object which weights are not registered: it must not take the next for the last.
    """

    def __init__(self, limits: ProcessLimits) -> None:
        super().__init__(limits)
        self.texts, self.requests = 0, list[Request]()

    def afresh(self) -> None:
        """Forget what was loaded: another file begins."""
        super().afresh()
        self.texts, self.requests = (self.texts + 1) % TEXTS, []

    def ask(self, verb: str, *values: Any, **named: Any) -> Any:
        """The result of one request, about the objects of this text."""
        place = {"load": None, "make": 1}.get(verb, 0)
        own = list(values)
        if place is not None:
            own[place] += self.texts * OBJECTS
        result = super().ask(verb, *own, **named)
        if verb in self.STATE:
            self.requests.append((verb, values, named))
        return result


class FixTrial:
    """One child process that tries one text after the other."""

    def __init__(self, code: CodeFile, contract: Contract, member: str, wishes: Wishes, seed: int) -> None:
        self.code, self.contract, self.wishes, self.seed = code, contract, wishes, seed
        self.owner, _, self.method = (code.name or member).partition(".")
        self.learned: set[str] = set()
        self.session = FixSession(LIMITS)
        self.name, self.roots = packaged(code.path, code.text, Path.cwd())

    def __enter__(self) -> "FixTrial":
        return self

    def __exit__(self, *_: object) -> None:
        self.session.close()

    def begin(self, text: str) -> None:
        """Remember which weights a file has: a change takes none away."""
        try:
            self.learned = set(self._adapted(text).made.learned)
        except TROUBLE:
            self.learned = set()

    def passes(self, text: str, goal: FixGoal) -> bool:
        """Whether a text reaches a goal."""
        try:
            return self._passes(text, goal)
        except TROUBLE:
            return False

    def screen(self, text: str, goal: FixGoal) -> FixScreen | None:
        """The first probe at which a text does not reach a goal, for changes of that text; None if it cannot be made."""
        try:
            subject = self._adapted(text)
            contract = asked(self.contract, subject.bench)
            cases = list(contract.cases(subject, np.random.default_rng(self.seed)))
            case, before = self._failing(contract, subject, cases, goal)
            members = list(self._members(contract, subject, goal))
        except TROUBLE:
            return None
        found = [computed(contract, case, member.frame, member.steps) for member in members]
        return FixScreen(
            session=self.session,
            load=self._load,
            subject=subject,
            making=making(self.session.requests, subject.made.number),
            case=case,
            before=before,
            wanted=[one for one in found if one is not None],
        )

    def _failing(
        self, contract: Contract, subject: Subject, cases: list[Case], goal: FixGoal
    ) -> tuple[Case, np.ndarray | None]:
        """The first case whose answer is not wanted; where all are, the first."""
        for case in cases:
            try:
                answer = subject.answer(case)
            except Raised:
                return case, None
            if not self._near(contract, subject, [(case, answer)], goal):
                return case, answer
        return cases[0], subject.answer(cases[0])

    def _load(self, text: str) -> list[dict[str, Any]]:
        self.session.afresh()
        given = {"name": self.name, "roots": list(self.roots), "after": missing(text, [self.owner])}
        return self.session.ask("load", str(self.code.path), text=text, **given)["members"]

    def _adapted(self, text: str) -> Subject:
        members = self._load(text)
        found = next((m for m in members if m["name"] == self.owner), None)
        if found is None:
            raise KeyError(self.owner)  # a change that takes the member away
        found |= {"method": self.method} if self.method else {}
        source = Source(text, self.code.path.stem)
        bench = Workbench(self.session, found, members, source, **self.wishes.bench(text))
        return asked(self.contract, bench).adapt(bench)

    def _passes(self, text: str, goal: FixGoal) -> bool:
        subject = self._adapted(text)
        if not self.learned <= set(subject.made.learned):
            return False
        contract, rng = asked(self.contract, subject.bench), np.random.default_rng(self.seed)
        answered = []
        for case in contract.cases(subject, rng):
            answered.append((case, subject.answer(case)))
            if not self._near(contract, subject, answered[-1:], goal):
                return False
        if not self._near(contract, subject, answered, goal):
            return False
        held = all(law.test(subject, rng) is None for law in contract.laws if law.name in goal.laws)
        if held and goal.larger and not self._stays(contract, subject, answered):
            return False
        # A law that could not be tried does not hold because of that.
        return held and not set(goal.laws) & set(subject.facts.get("skipped", ()))

    def _stays(self, contract: Contract, subject: Subject, answered: list[tuple[Case, np.ndarray]]) -> bool:
        """Whether it is the same function at larger sizes, made anew, and in later calls."""
        best = subject.facts["member"]
        return not (
            grown(contract, subject, best, self.seed)
            or stretched(contract, subject, best, dict(self.wishes.map))
            or stayed(subject, *answered[0])
        )

    def _allowed(self, subject: Subject, member: Member) -> bool:
        """Whether its conventions are no mistakes here."""
        slugs = {*member.frame.conventions, *(c.slug for c in member.conventions)}
        own = [c for c in self.contract.conventions if c.slug in slugs]
        return not subject.bench.strict or all(c.harmless or said(c, subject.bench) for c in own)

    def _near(
        self, contract: Contract, subject: Subject, answered: list[tuple[Case, np.ndarray]], goal: FixGoal
    ) -> bool:
        limit = TIGHT["float32"]
        family = Family(contract, subject.frames, [c for c, _ in answered], [a for _, a in answered])
        for member in self._members(contract, subject, goal):
            if family.far(member, stop=limit) < limit:
                subject.facts |= {"frame": member.frame, "member": member}
                subject.facts["agreed"] = [c.slug for c in member.conventions]
                return True
        return False

    def _members(self, contract: Contract, subject: Subject, goal: FixGoal) -> Iterator[Member]:
        """The programs that may be reached."""
        if goal.steps:
            frames = subject.frames[: 6 if len(goal.steps) < MANY else 1]
            yield from (Member(frame, steps) for frame in frames for steps in goal.steps)
        else:
            right = islice(Family(contract, subject.frames, [], []).right(), READINGS)
            yield from (member for member in right if self._allowed(subject, member))
