"""A training in the terminal: what was chosen, held-out losses and samples as they come, what to do next."""

from math import inf

from rich.markup import escape

from regard.lab.console import console, show_outcome
from regard.lab.events import Event, Metric, TextEvent
from regard.lab.runner import Watch
from regard.lab.store.run import Run
from regard.lab.train.figure import HELD


def narrated(watch: Watch) -> Watch:
    """Shows what is said and judged beside the progress that `watch` shows."""
    best = inf

    def see(event: Event) -> None:
        nonlocal best
        if isinstance(event, TextEvent):
            console.print(f"[dim]{escape(event.name)}[/]\n{escape(event.text)}", soft_wrap=True)
        elif isinstance(event, Metric) and event.name == HELD and event.at:
            when = "before training"
            if event.at["step"]:
                when = f"after step {event.at['step']:,}{', the best so far' if event.value < best else ''}"
                best = min(best, event.value)
            console.print(f"[bold]held-out loss {event.value:.4f}[/] on some of the windows {when}")
        watch(event)

    return see


def show_trained(run: Run) -> None:
    """What came of a training, and what to do with it."""
    found = {one.name: one.value for one in run.measured if not one.at}
    if "held-out loss at the end" in found:
        console.print(
            f"on all that was held out: loss {found['held-out loss at the end']:.4f} nats a token "
            f"({found['held-out loss at the end, nats a character']:.4f} a character) at step "
            f"{found['step of the best checkpoint']:,.0f} of {found['steps']:,.0f}, "
            f"{found['passes over the texts']:.3g} times through the texts",
            soft_wrap=True,
        )
        before = next((one.value for one in run.measured if one.name == HELD and one.at == {"step": 0}), inf)
        if found["held-out loss at the end"] >= before:
            console.print(
                f"That is no better than {before:.4f} before training: the texts are too short, and what it "
                "says it has by heart.",
                soft_wrap=True,
            )
    show_outcome(run)
    console.print(f"[dim]let it speak:[/] regard generate {run.id}", soft_wrap=True)
