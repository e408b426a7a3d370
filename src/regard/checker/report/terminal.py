"""A verdict for the terminal, at three levels: a hint, the finding, the explanation."""

import re
from collections.abc import Iterator

from regard.checker.report.verdict import Finding, Picture, Verdict

SHADES = " ░▒▓█"
STYLES = {"correct": "bold green", "mistake": "bold red", "undecided": "bold yellow"}


def show(report: object) -> None:
    """Print a report, with colour where the terminal has it."""
    from rich.console import Console
    from rich.text import Text

    console = Console(highlight=False, soft_wrap=True)
    for line in str(report).splitlines():
        console.print(Text(line, style=STYLES.get(re.split(r"  |,", line, maxsplit=1)[0], "")))


def lines(verdict: Verdict, target: str, level: str) -> Iterator[str]:
    """One verdict, line by line."""
    yield f"{clean(verdict.head)}  {clean(verdict.member)} as {verdict.contract}  ({verdict.seconds:.1f} s)"
    shown = [f for f in verdict.findings if f.kind in ("mistake", "unknown", "stopped")]
    if not shown:
        yield f"        {clean(rest(verdict))}"
    for finding in shown:
        yield from (hint if level == "hint" else full)(finding, target)
    if level == "hint":
        return
    for finding in verdict.findings:
        if finding.kind in ("convention", "note", "weak"):
            if not is_said(finding, verdict):
                name = "but" if finding.kind == "weak" else finding.kind
                yield f"  {name}: {clean(finding.sentence)}"
            yield from (f"    evidence: {clean(words)}" for words in finding.evidence)
    yield from (f"  weights: {clean(note)}" for note in verdict.notes)
    if verdict.precision == "float32":
        yield "  it runs in float32 only, and was judged in float32"
    if level == "explain" and verdict.picture:
        yield from drawn(verdict.picture)


def rest(verdict: Verdict) -> str:
    """A verdict's sentence without what its first line says."""
    return verdict.sentence.removeprefix(f"{verdict.head}; ")


def is_said(finding: Finding, verdict: Verdict) -> bool:
    """Whether a verdict's first line says it: how it is correct, by what convention or with what weakness."""
    first = finding.kind == "weak" or (finding.kind == "convention" and not finding.declared)
    return first and verdict.state == "correct"


def hint(finding: Finding, target: str) -> Iterator[str]:
    """Which law breaks, and nothing of the cause."""
    yield f"  this must hold and does not: {clean(finding.law or 'it runs to its end')}"


def full(finding: Finding, target: str) -> Iterator[str]:
    """Cause, evidence, place, remedy, page."""
    name = {"mistake": finding.slug, "unknown": "unknown cause", "stopped": finding.slug}[finding.kind]
    yield f"  {name}: {clean(finding.sentence)}"
    yield from (f"    evidence: {clean(words)}" for words in finding.evidence)
    if finding.place:
        cell = f", cell {finding.place.cell}, line " if finding.place.cell else ":"
        where = f"{clean(_file(target))}{cell}{finding.place.line}"
        yield f"    look at:  {where}  {clean(finding.place.text)}"
    if finding.remedy:
        yield f"    fix:      {clean(finding.remedy)}"
    if finding.page:
        yield f"    read:     regard check --page {finding.page}"


def _file(target: str) -> str:
    """A target without the name in it.

    >>> _file("a.py:B"), _file("a.py")
    ('a.py', 'a.py')
    """
    head, _, tail = target.rpartition(":")
    return head if head and "." not in tail.partition(".py")[0] and "/" not in tail else target


def drawn(picture: Picture) -> Iterator[str]:
    """Two small matrices side by side, darker for more."""
    yield f"  {picture.title}"
    most = max((value for row in picture.expected for value in row if value == value), default=1.0) or 1.0
    for right, wrong in zip(picture.expected, picture.actual, strict=True):
        yield f"    {shade(right, most)}   {shade(wrong, most)}"


def shade(row: list[float], most: float) -> str:
    """A row of numbers as shades; what is not a number is a question mark."""
    return "".join("??" if value != value else SHADES[level(value / most)] * 2 for value in row)


def level(share: float) -> int:
    """Which shade a share of the largest has."""
    return round(max(0.0, min(1.0, share)) * (len(SHADES) - 1))


def clean(words: str) -> str:
    """Words that may come from a person's code, without anything that steers a terminal."""
    return re.sub(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", "?", words).replace("\n", " ")
