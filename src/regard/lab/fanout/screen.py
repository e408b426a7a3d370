"""Live view of a fan-out: which worker runs what, for how long; and the table of many seeds."""

import time
from contextlib import AbstractContextManager
from types import TracebackType

from rich.console import Group
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.text import Text

from regard.lab.book.report import SIGNS, short
from regard.lab.console import COLOURS, QUIET_STEP, console
from regard.lab.fanout.dispatcher import Dispatcher
from regard.lab.fanout.seeds import SeedSummary
from regard.lab.tables import Column, show_table

MOST = 20
"Workers that are shown line by line."


class FanoutScreen(AbstractContextManager["FanoutScreen"]):
    """A line for each worker and a bar for all; where the output is no terminal, a line now and then."""

    def __init__(self, total: int) -> None:
        self._total, self._said = total, time.monotonic()
        self._since: dict[int, float] = {}
        self._live = (
            Live(console=console, transient=True, auto_refresh=False) if console.is_terminal else None
        )

    def __enter__(self) -> "FanoutScreen":
        if self._live:
            self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._live:
            self._live.stop()

    def see(self, dispatcher: Dispatcher) -> None:
        """Show where things stand."""
        now = time.monotonic()
        self._since = {ticket: self._since.get(ticket, now) for ticket in dispatcher.running}
        done = self._total - dispatcher.left
        if self._live:
            rows = [Text(line) for line in self._lines(dispatcher, now)]
            bar = ProgressBar(total=max(1, self._total), completed=done, width=40)
            self._live.update(Group(*rows, bar, Text(self._state(dispatcher, done))), refresh=True)
        elif now - self._said > QUIET_STEP:
            self._said = now
            console.print(
                ": ".join([self._state(dispatcher, done), *self._doing(dispatcher, now)]), soft_wrap=True
            )

    def _doing(self, dispatcher: Dispatcher, now: float) -> list[str]:
        """What runs, and for how long, in a line; nothing where nothing does."""
        running = [
            f"{task.name} for {now - self._since[ticket]:.0f} s ({worker})"
            for ticket, (task, worker) in dispatcher.running.items()
        ]
        more = [f"and {len(running) - MOST} more"] if len(running) > MOST else []
        return ["; ".join(running[:MOST] + more)] if running else []

    def _lines(self, dispatcher: Dispatcher, now: float) -> list[str]:
        running = list(dispatcher.running.items())
        lines = [
            f"{worker:<28} {task.name:<40} {now - self._since[ticket]:5.0f} s"
            for ticket, (task, worker) in running[:MOST]
        ]
        return lines + ([f"and {len(running) - MOST} more"] if len(running) > MOST else [])

    def _state(self, dispatcher: Dispatcher, done: int) -> str:
        lost = dispatcher.tally.lost
        redone = f", {lost} {'worker' if lost == 1 else 'workers'} lost and their runs redone" if lost else ""
        return f"{done} of {self._total} done, {len(dispatcher.running)} running{redone}"


def show_seeds(summary: SeedSummary) -> None:
    """The numbers and claims of many runs, in tables."""
    count = len(summary.runs)
    console.print(f"[bold]{summary.experiment.name}[/]  [dim]{count} runs[/]\n", soft_wrap=True)
    rows = [
        (one.name, short(one.summary.mean), *_spread(one.summary.low, one.summary.high, one.summary.count))
        for one in summary.numbers
    ]
    show_table(console, (Column("number", wraps=True), *map(Column, ("mean", "95 % interval", "runs"))), rows)
    if summary.seedless:
        console.print(f"the same in all {count} runs: nothing that was measured depends on the seed")
    console.print()
    claims = [
        (
            one.claim.name,
            one.claim.band,
            *(
                Text(f"{SIGNS[state]} {times}", style=COLOURS[state] if times else "dim")
                for state, times in one.counts.items()
            ),
        )
        for one in summary.claims
    ]
    heads = map(Column, ("claimed", "held", "failed", "not settled"))
    show_table(console, (Column("claim", wraps=True), *heads), claims)
    for seed, why in summary.missing.items():
        console.print(f"[red]missing[/] seed {seed}: {why}", soft_wrap=True)


def _spread(low: float, high: float, count: int) -> tuple[str, str]:
    return ("" if count < 2 else f"{short(low)} to {short(high)}", str(count))
