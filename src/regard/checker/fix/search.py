"""Search for the smallest change of a file that makes its check pass: tried on a copy, then checked anew on fresh seeds."""

import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import chain, islice, product
from typing import Any

from regard.checker.contract import Contract, Steps
from regard.checker.contracts.table import named
from regard.checker.fix.candidates import candidates
from regard.checker.fix.screen import Screened
from regard.checker.fix.texts import CodeText, difference
from regard.checker.fix.tidy import tidied
from regard.checker.fix.trial import FixGoal, FixTrial
from regard.checker.reading.place import CodeFile, opened
from regard.checker.report.report import Report
from regard.checker.report.verdict import Verdict
from regard.checker.target import check_code
from regard.checker.wishes import Wishes

BUDGET = 30.0
"Seconds for the search, once its process has started."
SEEDS = (11, 12)
"Seeds on which a change is checked again: others than that of the check."
VERIFIED = 30
"Whole checks before the search is given up."
HALVES = 2
"Ways to mend the first of two mistakes."
DEPTH = 2
"Changes that may be made one after the other."
FIRST = 0.6
"Share of the time in which one change is looked for, before two are."
SHARE = 0.4
"Time for whole trials of what the screen refuses, as a share of the time for the screen."
USUAL = 3
"Programs of one mistake that a first change may leave."

Tell = Callable[[str], object]


@dataclass(frozen=True, kw_only=True)
class Fix:
    """What mends a member of a file, or that nothing small does."""

    member: str
    diff: str = ""
    "A unified diff; empty where no small change was found."
    tried: int = 0
    "Changes that were tried."
    seconds: float = 0.0

    def __str__(self) -> str:
        """As plain text."""
        if not self.diff:
            if not self.tried:
                return f"fix  {self.member}: the {self.seconds:.0f} s were over before a change was tried"
            return f"fix  {self.member}: no small change found ({self.tried} tried in {self.seconds:.0f} s)"
        return f"fix  {self.member}: with this change the check passes\n{self.diff}"


def fixes(
    target: str, report: Report, *, tell: Tell = lambda words: None, budget: float = BUDGET, **said: Any
) -> list[Fix]:
    """The smallest change for each member of a file that has a mistake; what was said to the check is said again."""
    code, wishes = opened(target), Wishes(**said)
    wrong = [
        verdict for verdict in report.verdicts if verdict.state == "mistake" and verdict.contract != "any"
    ]
    if code.cells:
        return [Fix(member=verdict.member) for verdict in wrong]
    return [FixSearch(target, code, verdict, wishes, tell, budget).run() for verdict in wrong]


class FixSearch:
    """One member, its verdict, and the time that is left."""

    def __init__(
        self, target: str, code: CodeFile, verdict: Verdict, wishes: Wishes, tell: Tell, budget: float
    ) -> None:
        self.target, self.code, self.verdict, self.wishes, self.tell = target, code, verdict, wishes, tell
        self.contract: Contract = named(verdict.contract)
        self.born = self.start = time.monotonic()
        self.budget, self.tried, self.verified = budget, 0, 0
        known = [m for m in self.contract.mistakes if m.slug in verdict.slugs]
        # What only a law has named was compared with nothing: which conventions it keeps is not known then.
        self.read = any(mistake.forms for mistake in known) or not known

    @property
    def left(self) -> float:
        """Seconds that are left."""
        return self.budget - (time.monotonic() - self.start)

    def run(self) -> Fix:
        """The first change that verifies; with several mistakes, one after the other."""
        try:
            CodeText(self.code.text)
        except SyntaxError:
            return self._said("")
        with FixTrial(self.code, self.contract, self.verdict.member, self.wishes, SEEDS[0]) as trial:
            trial.begin(self.code.text)
            # The start of the process in which changes are tried is no part of the search.
            self.start = time.monotonic()
            self.read = self.read or trial.passes(self.code.text, FixGoal())
            return self._said(self._mended(trial, self.code.text, self.verdict, DEPTH))

    def _mended(self, trial: FixTrial, text: str, verdict: Verdict, depth: int) -> str:
        """A text that passes the whole check; empty where none is found in time."""
        for slug, goal in self._halves(verdict) if depth > 1 else ():
            rest = replace(verdict, findings=tuple(f for f in verdict.findings if f.slug == slug))
            for new in islice(self._passing(trial, text, verdict, goal, self._share(1 / 3)), HALVES):
                if found := self._mended(trial, new, rest, depth - 1):
                    return found
        broken = tuple(name for name, held in verdict.laws.items() if not held)
        right = trial.passes(text, FixGoal())
        goal = FixGoal(laws=broken, larger=not broken) if right else FixGoal()
        share = self._share(FIRST if depth > 1 else 1.0)
        for new in self._passing(trial, text, verdict, goal, share):
            new = self._tidy(trial, new, goal)
            left = self.judged(trial, new, SEEDS[0])
            if left is None:
                continue
            if left.state == "correct" and self.verifies(trial, new):
                return new
            if depth > 1 and _other(left, verdict) and (found := self._mended(trial, new, left, depth - 1)):
                return found
        return "" if depth == 1 or right else self._by_another(trial, text, verdict)

    def _by_another(self, trial: FixTrial, text: str, verdict: Verdict) -> str:
        """Mended in two steps: a change that leaves another known mistake, which is then mended."""
        others = [m for m in self.contract.mistakes if m.forms and m.slug not in verdict.slugs]
        goal = FixGoal(steps=self._agreed(verdict, [s for m in others for s in m.forms[:USUAL]]))
        passing = self._passing(trial, text, verdict, goal, self._share(0.6), quick=True)
        for new in islice(passing, HALVES) if goal.steps else ():
            left = self.judged(trial, new, SEEDS[0])
            if left and _other(left, verdict) and (found := self._mended(trial, new, left, 1)):
                return found
        return ""

    def _share(self, part: float) -> float:
        """The second at which a part of the time that is left is over."""
        return time.monotonic() - self.start + self.left * part

    def _tidy(self, trial: FixTrial, text: str, goal: FixGoal) -> str:
        """A changed text without what says nothing, where that passes too."""
        new = tidied(text, self.code.text)
        return new if new == text or trial.passes(new, goal) else text

    def _passing(
        self,
        trial: FixTrial,
        text: str,
        verdict: Verdict,
        goal: FixGoal,
        until: float,
        *,
        quick: bool = False,
    ) -> Iterator[str]:
        """Changed texts that pass a trial; most are screened out by one probe, and tried wholly only while there is time."""
        code, screen = CodeText(text), trial.screen(text, goal)
        lines = tuple(f.place.line for f in verdict.findings if f.place)
        unknown, far = deque[str](), deque[str]()
        looking = trying = 0.0
        for change in candidates(text, verdict.member, verdict.slugs or ("unknown",), lines):
            if self._over(until):
                return
            self.tried += 1
            count = f"{self.tried} change{'' if self.tried == 1 else 's'}"
            self.tell(f"{count} tried, {max(self.left, 0):.0f} s left")
            new, start = code.applied(change), time.monotonic()
            seen = screen.look(new) if screen else Screened.UNKNOWN
            looking += time.monotonic() - start
            if seen is Screened.NEAR and trial.passes(new, goal):
                yield new
            elif seen in (Screened.UNKNOWN, Screened.FAR) and not quick:
                (unknown if seen is Screened.UNKNOWN else far).append(new)
            while (unknown or far) and trying < SHARE * looking and not self._over(until):
                start = time.monotonic()
                new = (unknown or far).popleft()
                passes = trial.passes(new, goal)
                trying += time.monotonic() - start
                if passes:
                    yield new
        for new in chain(unknown, far):
            if self._over(until):
                return
            if trial.passes(new, goal):
                yield new

    def _over(self, until: float) -> bool:
        return time.monotonic() - self.start > until or self.verified >= VERIFIED

    def _halves(self, verdict: Verdict) -> Iterator[tuple[str, FixGoal]]:
        """Goals at which one of several mistakes is mended and another, which is named, left."""
        known = {k.slug: k for k in (*self.contract.conventions, *self.contract.mistakes)}
        slugs = [slug for slug in verdict.slugs if slug in known and known[slug].forms]
        if len(slugs) > 1:
            for slug in slugs:
                yield slug, FixGoal(steps=self._agreed(verdict, known[slug].forms))

    def _agreed(self, verdict: Verdict, forms: Iterable[Steps]) -> tuple[Steps, ...]:
        """Programs under the conventions that the file was found to keep."""
        slugs = [f.slug for f in verdict.findings if f.kind == "convention"]
        kept = [c.forms[:USUAL] for c in self.contract.conventions if c.slug in slugs and c.forms]
        bases: list[Steps] = [dict(chain.from_iterable(s.items() for s in each)) for each in product(*kept)]
        return tuple(base | steps for steps in forms for base in bases if not set(base) & set(steps))

    def judged(self, trial: FixTrial, text: str, seed: int) -> Verdict | None:
        """What the whole check says of a changed file."""
        self.verified += 1
        code = replace(self.code, text=text)
        trial.session.afresh()
        report = check_code(
            trial.session,
            self.target,
            code,
            contract=self.contract.name,
            wishes=self.wishes,
            seed=seed,
            changed=True,
        )
        return next((v for v in report.verdicts if v.member == self.verdict.member), None)

    def verifies(self, trial: FixTrial, text: str) -> bool:
        """Whether a changed file passes on every seed, called as before, without a new weakness or convention."""
        before = {f.slug for f in self.verdict.findings}
        for seed in SEEDS[1:]:
            found = self.judged(trial, text, seed)
            if found is None or found.state != "correct":
                return False
            worse = [f.slug for f in found.findings if f.kind == "weak" or (self.read and not f.declared)]
            if set(worse) - before or _passed(found) != _passed(self.verdict):
                return False
        return True

    def _said(self, text: str) -> Fix:
        self.tell("")
        diff = difference(self.code.text, text, self.code.path.name) if text else ""
        seconds = time.monotonic() - self.born
        return Fix(member=self.verdict.member, diff=diff, tried=self.tried, seconds=seconds)


def _other(left: Verdict, verdict: Verdict) -> bool:
    """Whether what is left is another mistake."""
    return left.state == "mistake" and bool(left.slugs) and set(left.slugs) != set(verdict.slugs)


def _passed(verdict: Verdict) -> list[str]:
    """How masks and graphs are passed."""
    return [note for note in verdict.notes if "passed as" in note]
