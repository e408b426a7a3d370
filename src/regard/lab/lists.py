"""Lists in the terminal: experiments by chapter, runs, the checklist, and what answers a course."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import get_args

from rich.text import Text

from regard.lab.book.coverage import Item
from regard.lab.book.sources import Assignment
from regard.lab.console import COLOURS, console
from regard.lab.experiment import Chapter, Experiment
from regard.lab.store.entries import RunEntry
from regard.lab.tables import Cell, Column, show_table


def show_experiments(experiments: Sequence[Experiment], full: Mapping[str, float]) -> None:
    """Experiments by chapter: how long each takes and what it asks. `full` has the seconds of full runs."""
    heads = (Column("experiment"), Column("quick"), Column("full"), Column("question", wraps=True))
    rows: list[Sequence[Cell]] = []
    for chapter in get_args(Chapter):
        group = [one for one in experiments if one.chapter == chapter]
        rows += [("",), (Text(chapter, style="bold"),)] if group else []
        for one in group:
            rows.append((one.name, duration(one.seconds), duration(full.get(one.name)), one.question))
    show_table(console, heads, rows)


def full_seconds(entries: Iterable[RunEntry]) -> dict[str, float]:
    """Seconds that the newest finished run of each full preset took."""
    return {
        one.name: one.seconds
        for one in entries
        if one.preset == "full" and one.state == "finished" and one.seconds is not None
    }


def duration(seconds: float | None) -> str:
    """A time as a person says it; nothing where it is not known.

    >>> duration(0.5), duration(45), duration(90), duration(7200), duration(None)
    ('0.5 s', '45 s', '1.5 min', '2 h', '')
    """
    if seconds is None:
        return ""
    for size, unit in ((3600, "h"), (60, "min")):
        if seconds >= size:
            return f"{round(seconds / size, 1):g} {unit}"
    return f"{seconds:.0f} s" if seconds >= 1 else f"{seconds:.1g} s"


def show_runs(entries: Iterable[RunEntry]) -> None:
    """Runs, the oldest first: how each ended and what came of its claims."""
    heads = [Column(head) for head in ("run", "state", "time", "held", "failed", "not settled")]
    rows = [
        (
            one.id,
            one.state,
            duration(one.seconds),
            *(str(count) for count in (one.held, one.failed, one.unsettled)),
        )
        for one in entries
    ]
    show_table(console, heads, rows)


def show_coverage(items: Iterable[Item]) -> None:
    """The checklist by source: each question, what answers it, and its state."""
    rows: list[Sequence[Cell]] = []
    for source, group in groupby(items, lambda one: one.source):
        rows += [("",), (Text(source, style="bold"),), *map(_answered, group)]
    show_table(console, ANSWERED, rows)


def show_course(source: Assignment, items: Iterable[Item]) -> None:
    """What answers the questions of one course."""
    facts = f"{source.institution}, {source.course}, {source.term}: {source.title}"
    console.print(f"[bold]{source.name}[/]  [dim]{facts}[/]")
    console.print(" ".join(source.asks.split()) + "\n")
    show_table(console, ANSWERED, [_answered(one) for one in items])


ANSWERED = (
    Column("question", wraps=True),
    Column("item"),
    Column("asks for", wraps=True),
    Column("answered by", wraps=True),
    Column("state"),
)


def _answered(one: Item) -> tuple[Cell, ...]:
    state = Text(one.state, style=COLOURS.get(one.state, "dim"))
    return one.question, str(one.item), one.text, ", ".join(one.answers), state
