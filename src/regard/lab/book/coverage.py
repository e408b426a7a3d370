"""Which checklist item is answered by which experiment, and what came of its claims."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from regard.lab.book.checklist import ITEMS, NOT_APPLICABLE
from regard.lab.experiment import Experiment
from regard.lab.store.entries import RunEntry

ENDED = ("finished", "out of time", "without data")


@dataclass(frozen=True)
class Item:
    """A checklist item: what it asks, who owns it, where it stands."""

    item: int
    text: str
    owner: str | None
    state: str


def coverage(experiments: Iterable[Experiment], runs: Sequence[RunEntry]) -> list[Item]:
    """Every item of the checklist with its owner and state, given the runs from the oldest to the newest."""
    experiments = list(experiments)
    ended = [one for one in runs if one.state in ENDED and one.preset in ("quick", "full")]
    newest = {entry.name: entry for entry in ended}
    owners = {item: experiment.name for experiment in experiments for item in experiment.answers}
    return [
        Item(number, text, owners.get(number), _state(number, owners.get(number), newest))
        for number, text in ITEMS.items()
    ]


def _state(number: int, owner: str | None, newest: dict[str, RunEntry]) -> str:
    if number in NOT_APPLICABLE:
        return "not applicable"
    if owner is None:
        return "open"
    entry = newest.get(owner)
    if entry is None:
        return "not run"
    if entry.failed:
        return "failed"
    return "held" if entry.held else "not settled"
