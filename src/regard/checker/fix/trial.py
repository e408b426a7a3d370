"""Trial of a candidate: the changed file runs in a child process, and is held to the reference and to the laws that broke."""

from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np

from regard.checker.choices import asked, said
from regard.checker.contract import Case, Contract, Steps
from regard.checker.family import TIGHT, Family, Member
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


class FixTrial:
    """One child process that tries one text after the other."""

    def __init__(self, code: CodeFile, contract: Contract, member: str, wishes: Wishes, seed: int) -> None:
        self.code, self.contract, self.wishes, self.seed = code, contract, wishes, seed
        self.owner, _, self.method = (code.name or member).partition(".")
        self.learned: set[str] = set()
        self.session = Session(LIMITS)
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

    def _adapted(self, text: str) -> Subject:
        self.session.afresh()
        given = {"name": self.name, "roots": list(self.roots), "after": missing(text, [self.owner])}
        members = self.session.ask("load", str(self.code.path), text=text, **given)["members"]
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
        # A law that could not be tried does not hold because of that.
        return held and not set(goal.laws) & set(subject.facts.get("skipped", ()))

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
        if goal.steps:
            members = (Member(frame, steps) for frame in subject.frames[:6] for steps in goal.steps)
        else:
            members = islice(family.right(), READINGS)
        for member in (m for m in members if goal.steps or self._allowed(subject, m)):
            if family.far(member, stop=limit) < limit:
                subject.facts["frame"] = member.frame
                subject.facts["agreed"] = [c.slug for c in member.conventions]
                return True
        return False
