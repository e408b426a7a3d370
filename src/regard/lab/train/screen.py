"""A training in the terminal: what was chosen, held-out losses and samples as they come, what to do next."""

from collections.abc import Sequence
from math import inf

from rich.markup import escape

from regard.lab.console import console, say_hanging, show_outcome
from regard.lab.events import Event, Metric, TextEvent
from regard.lab.runner import Watch
from regard.lab.store.run import Run
from regard.lab.train.figure import HELD


def narrated(watch: Watch, before: Sequence[Metric] = ()) -> Watch:
    """Shows what is said and judged beside the progress that `watch` shows.

    `before` is what a run that is taken up has measured: the best so far is the best of that too.
    """
    best = min((one.value for one in before if one.name == HELD and one.at), default=inf)

    def see(event: Event) -> None:
        nonlocal best
        if isinstance(event, TextEvent):
            console.print(f"[dim]{escape(event.name)}[/]")
            for line in event.text.split("\n"):
                say_hanging(escape(line), 2)
        elif isinstance(event, Metric) and event.name == HELD and event.at:
            when = "before training"
            if event.at["step"]:
                when = f"after step {event.at['step']:,}{', the best so far' if event.value < best else ''}"
            best = min(best, event.value)
            console.print(f"[bold]held-out loss {event.value:.4f}[/] {when}")
        watch(event)

    return see


def show_trained(run: Run) -> None:
    """What came of a training, and what to do with it."""
    show_outcome(run)
    console.print(f"[dim]let it speak:[/] regard generate {run.id}", soft_wrap=True)
