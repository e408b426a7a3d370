"""Lists in the terminal: experiments by chapter, runs, the checklist, and what answers a course."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import get_args

from rich.text import Text

from regard.lab.book.coverage import Item
from regard.lab.book.sources import Assignment
from regard.lab.console import COLOURS, console
from regard.lab.experiment import Chapter, Experiment
from regard.lab.records.record import Record
from regard.lab.records.reproduce import Reproduction
from regard.lab.search import Hit
from regard.lab.store.entries import RunEntry
from regard.lab.tables import Cell, Column, show_table

ROOM = 120
"Letters of a line from which on the claims of an item stand under it."
PASSAGES = 3
"Passages that are shown of an experiment."


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


def show_hits(hits: Iterable[Hit]) -> None:
    """Experiments that speak of a word, and where."""
    heads = (Column("experiment"), Column("where"), Column("passage", wraps=True))
    rows = [
        (hit.experiment.name if not place else "", passage.where.partition(" ")[0], passage.text)
        for hit in hits
        for place, passage in enumerate(hit.passages[:PASSAGES])
    ]
    show_table(console, heads, rows)


def full_seconds(entries: Iterable[RunEntry], records: Mapping[str, Record]) -> dict[str, float]:
    """Seconds that the newest finished run of each full preset took here, or in the record."""
    return {name: one.seconds for name, one in records.items() if one.full} | {
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
    """Runs, the oldest first: how each ended, what came of its claims, and what sets it apart."""
    heads = [Column(head) for head in ("run", "state", "time", "held", "failed", "not settled")]
    heads.append(Column("with", wraps=True))
    rows = [
        (
            one.id,
            one.state,
            duration(one.seconds),
            *(str(count) if any(_counts(one)) else "" for count in _counts(one)),
            one.told,
        )
        for one in entries
    ]
    show_table(console, heads, rows)


def _counts(one: RunEntry) -> tuple[int, int, int]:
    return one.held, one.failed, one.unsettled


def show_records(found: Sequence[Record], changed: Mapping[str, Sequence[str]]) -> None:
    """Recorded runs: at which size, when, and whether the code is still what it was; then what to renew."""
    named = ("experiment", "size", "date", "time", "held", "failed", "not settled", "code")
    heads = [Column(head, wraps=head == "size") for head in named]
    rows = []
    for one in found:
        states = [claim.state for claim in one.claims.values()]
        code = "changed since" if one.name in changed else "unchanged"
        counts = (str(states.count(state)) for state in ("held", "failed", "not settled"))
        rows.append((one.name, one.size, one.date, duration(one.seconds), *counts, code))
    show_table(console, heads, rows)
    for one in found:
        if one.name in changed:
            console.print(f"\n[bold]{one.name}[/] is to be renewed: since its record these have changed")
            for file in changed[one.name]:
                console.print(f"  {file}", soft_wrap=True)
            console.print(f"  {one.command}; then regard reproduce --keep {one.name}", soft_wrap=True)


def show_reproduction(found: Reproduction) -> None:
    """A record beside the run that was made again, and what differs."""
    heads = (Column("number or claim", wraps=True), Column("recorded"), Column("now"), Column(""))
    off = [one for one in found.compared if not one.agrees]
    words = {True: "agrees", False: "differs"}
    rows = [(one.name, one.recorded, one.now, words[one.agrees]) for one in found.compared]
    show_table(console, heads, rows)
    told = f"{len(found.compared) - len(off)} of {len(found.compared)} agree"
    console.print(f"{found.record.name}, {found.record.size}: {told} with the record of {found.record.date}")


def show_coverage(items: Iterable[Item]) -> None:
    """The checklist by source: each question, what answers it, and its state."""
    rows: list[Sequence[Cell]] = []
    for source, group in groupby(items, lambda one: one.source):
        rows += [("",), (Text(source, style="bold"),), *(row for one in group for row in _answered(one))]
    show_table(console, ANSWERED, rows)
    console.print(f"\n[dim]{COLUMNS}[/]", soft_wrap=not console.is_terminal)


def show_course(source: Assignment, items: Iterable[Item]) -> None:
    """What answers the questions of one course."""
    facts = f"{source.institution}, {source.course}, {source.term}: {source.title}"
    console.print(f"[bold]{source.name}[/]  [dim]{facts}[/]")
    console.print(" ".join(source.asks.split()) + "\n")
    show_table(console, ANSWERED, [row for one in items for row in _answered(one)])
    console.print(f"\n[dim]{COLUMNS}[/]", soft_wrap=not console.is_terminal)


ANSWERED = (
    Column("question", wraps=True),
    Column("item"),
    Column("asks for", wraps=True),
    Column("answered by", wraps=True),
    Column("here"),
    Column("recorded"),
)

COLUMNS = (
    "here: what its claims came to in the newest run on this machine; "
    "recorded: in the full run that is kept with regard, empty where none is"
)
"What the last two columns mean."


def _answered(one: Item) -> Iterator[tuple[Cell, ...]]:
    """The row of an item; in a pipe or a wide terminal, its claims under it."""
    yield one.question, str(one.item), one.text, ", ".join(one.answers), *_states(one.state, one.recorded)
    if not console.is_terminal or console.width >= ROOM:
        for claim in one.claims:
            yield "", "", Text(f"· {claim.name}", style="dim"), "", *_states(claim.here, claim.recorded)


def _states(*states: str) -> Iterator[Text]:
    return (Text(state, style=COLOURS.get(state, "dim")) for state in states)
