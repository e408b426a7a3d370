"""Coverage of the checklist: which experiment answers which item, and what came of its claims."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from regard.lab.book.checklist import NOT_APPLICABLE
from regard.lab.book.sources import SOURCES
from regard.lab.experiment import Experiment
from regard.lab.store.entries import RunEntry

ENDED = ("finished", "out of time", "without data")


@dataclass(frozen=True)
class Item:
    """A checklist item: who asks it, what it asks, who answers it, where it stands."""

    item: int
    source: str
    question: str
    text: str
    owner: str | None
    "The experiment or theorem that answers it; its claims give the state."
    derived: tuple[str, ...]
    "Theorems that derive what the owner measures."
    state: str

    @property
    def answers(self) -> tuple[str, ...]:
        """Everything that answers it, the owner first."""
        return (*filter(None, [self.owner]), *self.derived)


def coverage(experiments: Iterable[Experiment], runs: Sequence[RunEntry]) -> list[Item]:
    """Every item of the checklist with its source, owner and state, given the runs, oldest first."""
    experiments = list(experiments)
    ended = [one for one in runs if one.state in ENDED and one.preset in ("quick", "full")]
    newest = {entry.name: entry for entry in ended}
    changed = {one.name for one in runs if one.state in ENDED} - newest.keys()
    owners = {item: experiment.name for experiment in experiments for item in experiment.answers}
    return [
        Item(
            item=one.number,
            source=source.name,
            question=one.question,
            text=one.text,
            owner=owners.get(one.number),
            derived=tuple(other.name for other in experiments if one.number in other.derives),
            state=_state(one.number, owners.get(one.number), newest, changed),
        )
        for source in SOURCES
        for one in source.items
    ]


def _state(number: int, owner: str | None, newest: dict[str, RunEntry], changed: set[str]) -> str:
    if number in NOT_APPLICABLE:
        return "not applicable"
    if owner is None:
        return "open"
    entry = newest.get(owner)
    if entry is None:
        return "run with changed settings only" if owner in changed else "not run"
    if entry.failed:
        return "failed"
    return "held" if entry.held else "not settled"
