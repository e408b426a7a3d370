"""`regard check --selftest`: how much is found, how much is named, how often it cries wolf, and whether it survives."""

import multiprocessing
import os
import re
import signal
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from regard.checker.process.limits import TOKEN, ProcessLimits
from regard.checker.report.report import Report
from regard.checker.target import check_file
from regard.checker.wishes import Wishes, mapping
from regard.errors import RegardError

QUICK = ProcessLimits(load=8.0, call=4.0, whole=20.0)
"Limits for what is hostile on purpose: each verdict is due within them and two seconds more."


@dataclass(frozen=True, kw_only=True)
class SelftestOutcome:
    """What was said of one file, beside what its header says."""

    file: str
    kind: str
    expected: tuple[str, ...]
    named: tuple[str, ...]
    state: str
    right: bool
    seconds: float
    "For the whole check, the imports of the file aside."
    first: float | None
    "Until the first finding, likewise."
    said: str = ""


@dataclass
class Figures:
    """Everything that was measured."""

    outcomes: list[SelftestOutcome] = field(default_factory=list)
    left: list[int] = field(default_factory=list)
    "Processes that were still alive after a hostile module."
    jobs: int = 1
    "Files that were judged at once: they share the machine, so each takes longer than alone."

    def of(self, kind: str) -> list[SelftestOutcome]:
        """The outcomes of one kind: mutants, correct or hostile."""
        return [o for o in self.outcomes if o.kind == kind]

    def share(self, kind: str, what: str) -> float:
        """Of the mutants, the share that was detected or named; of the others, the share that was right."""
        all_ = self.of(kind)
        if what == "named":
            all_ = [o for o in all_ if o.expected != ("unknown",)]
            return sum(o.right for o in all_) / max(len(all_), 1)
        good = {"detected": lambda o: o.state == "mistake", "right": lambda o: o.right}[what]
        return sum(good(o) for o in all_) / max(len(all_), 1)

    def lines(self) -> Iterator[str]:
        """The figures as a person reads them, then every file that was misjudged."""
        mutants, correct, hostile = self.of("mutants"), self.of("correct"), self.of("hostile")
        yield f"mutants   {len(mutants)}: detected {self.share('mutants', 'detected'):.1%}, named {self.share('mutants', 'named'):.1%}"
        alarms = [o for o in correct if not o.right]
        yield f"correct   {len(correct)} runs of {len({o.file for o in correct})} files: {len(alarms)} false alarms"
        yield f"hostile   {len(hostile)}: {sum(o.right for o in hostile)} verdicts, {len(self.left)} processes left"
        yield (
            f"seconds   first finding {spread(o.first for o in mutants if o.first)}; "
            f"whole check {spread(o.seconds for o in mutants + correct)}; {self.jobs} at once"
        )
        for outcome in self.outcomes:
            if not outcome.right:
                named = ", ".join(outcome.named) or "nothing"
                yield f"  {outcome.file}: {outcome.state}, named {named}, expected {', '.join(outcome.expected)}  {outcome.said[:150]}"

    def plain(self) -> dict[str, Any]:
        """The figures as JSON has them."""
        return {
            "mutants": len(self.of("mutants")),
            "detected": self.share("mutants", "detected"),
            "named": self.share("mutants", "named"),
            "correct": len(self.of("correct")),
            "false_alarms": sum(not o.right for o in self.of("correct")),
            "hostile": len(self.of("hostile")),
            "verdicts": sum(o.right for o in self.of("hostile")),
            "left": len(self.left),
            "first_finding": median(o.first for o in self.of("mutants") if o.first),
            "whole_check": median(o.seconds for o in self.of("mutants") + self.of("correct")),
        }


def median(times: Iterable[float]) -> float | None:
    """The middle of some times.

    >>> median([1.0, 4.0, 2.0])
    2.0
    """
    ordered = sorted(times)
    return ordered[len(ordered) // 2] if ordered else None


def spread(times: Iterable[float]) -> str:
    """The middle of some times and their largest.

    >>> spread([1.0, 4.0, 2.0]), spread([])
    ('median 2.0, slowest 4.0', 'none')
    """
    ordered = sorted(times)
    return f"median {ordered[len(ordered) // 2]:.1f}, slowest {ordered[-1]:.1f}" if ordered else "none"


def header(path: Path) -> dict[str, str]:
    """What the first lines of a file say: contract, cause, target, limits.

    >>> import tempfile
    >>> place = Path(tempfile.mkdtemp()) / "a.py"
    >>> _ = place.write_text("# contract: rotary\\n# cause: base-wrong, degrees")
    >>> header(place)
    {'contract': 'rotary', 'cause': 'base-wrong, degrees'}
    """
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines()[:12]
    found = (re.match(r"#\s*(contract|cause|target|convention|map):\s*(.+?)\s*$", line) for line in lines)
    return {match[1]: match[2] for match in found if match}


def selftest(
    folder: Path,
    *,
    kinds: tuple[str, ...] = ("mutants", "correct", "hostile"),
    every: int = 1,
    seeds: int = 5,
    jobs: int = 1,
    tell: Callable[[str], Any] = lambda words: None,
) -> Figures:
    """Judge every n-th file of each kind under `folder`, `jobs` at once; correct ones with several seeds."""
    if not any((folder / kind).is_dir() for kind in kinds):
        raise RegardError(
            "there is nothing to test the checker with",
            str(folder),
            "name the folder that holds mutants, correct and hostile",
        )
    if jobs < 1:
        raise RegardError("files are judged one at a time or several at once", f"{jobs} at once", "--jobs 1")
    tasks = [
        (path, kind, seed, folder)
        for kind in kinds
        for path in sorted((folder / kind).rglob("*.py"))[::every]
        for seed in range(seeds if kind == "correct" else 1)
    ]
    figures, start = Figures(jobs=jobs), time.monotonic()
    for done, (outcome, left) in enumerate(judged(tasks, jobs), start=1):
        figures.outcomes.append(outcome)
        figures.left += left
        rest = (time.monotonic() - start) / done * (len(tasks) - done)
        tell(f"{done} of {len(tasks)} judged, about {rest / 60:.0f} min left: {outcome.file}")
    return figures


Task = tuple[Path, str, int, Path]


def judged(tasks: list[Task], jobs: int) -> Iterator[tuple[SelftestOutcome, list[int]]]:
    """Each task's outcome and what it left running, in the order of the tasks, several at once."""
    if jobs == 1:
        yield from map(_task, tasks)
        return
    # Leaving this block ends the processes, whether by the last outcome or by Ctrl-C.
    with multiprocessing.get_context("spawn").Pool(min(jobs, len(tasks)), initializer=_part) as pool:
        yield from pool.imap(_task, tasks)


def _task(task: Task) -> tuple[SelftestOutcome, list[int]]:
    return judge(*task), strays() if task[1] == "hostile" else []


def _part() -> None:
    """A process of the pool ends when the first one says so, and then ends its own child in an orderly way."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))


def judge(path: Path, kind: str, seed: int, folder: Path) -> SelftestOutcome:
    """One file, and whether what is said of it is right."""
    head = header(path)
    target = f"{path}:{head['target']}" if "target" in head else str(path)
    start = time.monotonic()
    limits = QUICK if kind == "hostile" else ProcessLimits()
    # Planted mistakes are held to the contract's own choices; what is right may choose.
    wishes = Wishes(map=mapping([head["map"]]) if "map" in head else {}, strict=kind == "mutants")
    report = check_file(target, contract=head.get("contract"), seed=seed, limits=limits, wishes=wishes)
    seconds = time.monotonic() - start - report.imports
    expected = tuple(sorted(word.strip() for word in head.get("cause", "").split(",") if word.strip()))
    named = tuple(sorted({slug for verdict in report.verdicts for slug in verdict.slugs}))
    state = {0: "correct", 1: "mistake", 3: "undecided"}[report.code]
    first = next((report.ready + v.first for v in report.verdicts if v.first is not None), None)
    return SelftestOutcome(
        file=str(path.relative_to(folder)),
        kind=kind,
        expected=expected,
        named=named,
        state=state,
        right=_right(kind, report, expected, seconds, limits),
        seconds=seconds,
        first=first,
        said=" / ".join(verdict.sentence for verdict in report.verdicts),
    )


def _right(
    kind: str, report: Report, expected: tuple[str, ...], seconds: float, limits: ProcessLimits
) -> bool:
    if kind == "correct":
        return report.code == 0
    if kind == "hostile":
        most = limits.start + limits.load + limits.whole + 2
        return bool(report.verdicts) and seconds < most
    named = {slug for verdict in report.verdicts for slug in verdict.slugs}
    if expected == ("unknown",):
        return report.code == 1
    sure = all(not f.candidates for verdict in report.verdicts for f in verdict.findings)
    return report.code == 1 and set(expected) <= named and sure


def strays() -> list[int]:
    """Processes of this process's checks that are still alive."""
    found, mark = [], f"{TOKEN}={os.getpid()}-".encode()
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            if mark in (entry / "environ").read_bytes():
                found.append(int(entry.name))
        except OSError:
            continue
    return found
