"""Coverage of the checklist: which experiment answers which item, and what came of the item's claims."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from regard.claims import Claim
from regard.lab.book.checklist import NOT_APPLICABLE
from regard.lab.book.sources import SOURCES
from regard.lab.experiment import Experiment
from regard.lab.records.record import Record, RecordedClaim
from regard.lab.store.entries import RunEntry

NO_RECORDS: Mapping[str, Record] = MappingProxyType({})
ENDED = ("finished", "out of time", "without data")


@dataclass(frozen=True)
class ItemClaim:
    """A claim that helps to settle an item: what came of it here, and in the recorded run."""

    name: str
    here: str
    recorded: str
    missed: str = ""
    "Where the recorded run failed it: what was measured, beside what was expected."


@dataclass(frozen=True)
class Item:
    """A checklist item: who asks it, what it asks, who answers it, where it stands."""

    item: int
    source: str
    question: str
    text: str
    owner: str | None
    "The experiment or theorem whose claims settle it."
    derived: tuple[str, ...]
    "Theorems that derive what the owner measures."
    state: str
    "What its claims came to in the newest run here."
    recorded: str
    "What they came to in the recorded full run; nothing where there is none."
    claims: tuple[ItemClaim, ...]

    @property
    def answers(self) -> tuple[str, ...]:
        """Everything that answers it, the owner first."""
        return (*filter(None, [self.owner]), *self.derived)


def coverage(
    experiments: Iterable[Experiment], runs: Sequence[RunEntry], records: Mapping[str, Record] = NO_RECORDS
) -> list[Item]:
    """Every item of the checklist with its source, owner and states, given the runs, oldest first."""
    experiments = list(experiments)
    ended = [one for one in runs if one.state in ENDED and one.preset in ("quick", "full")]
    newest = {entry.name: entry for entry in ended}
    changed = {one.name for one in runs if one.state in ENDED} - newest.keys()
    by_name = {experiment.name: experiment for experiment in experiments}
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
            recorded=_recorded(one.number, records.get(owners.get(one.number, ""))),
            claims=tuple(
                _claims(one.number, by_name.get(owners.get(one.number, "")), newest, changed, records)
            ),
        )
        for source in SOURCES
        for one in source.items
    ]


def _recorded(number: int, record: Record | None) -> str:
    return "" if record is None else record.items.get(number, "not settled")


def _claims(
    number: int,
    owner: Experiment | None,
    newest: Mapping[str, RunEntry],
    changed: set[str],
    records: Mapping[str, Record],
) -> Iterator[ItemClaim]:
    if owner is None:
        return
    run, record = newest.get(owner.name), records.get(owner.name)
    for claim in owner.claims:
        if number in claim.items:
            found = record.claims.get(claim.name) if record else None
            here = run.claims.get(claim.name, "not settled") if run else _not_run(owner.name, changed)
            yield ItemClaim(claim.name, here, found.state if found else "", _missed(claim, found))


def _missed(claim: Claim, found: RecordedClaim | None) -> str:
    if found is None or found.state != "failed" or found.value is None:
        return ""
    return f"{found.value:.4g}, expected {claim.band}"


def _state(number: int, owner: str | None, newest: dict[str, RunEntry], changed: set[str]) -> str:
    if number in NOT_APPLICABLE:
        return "not applicable"
    if owner is None:
        return "open"
    entry = newest.get(owner)
    if entry is None:
        return _not_run(owner, changed)
    return entry.items.get(number, "not settled")


def _not_run(owner: str, changed: set[str]) -> str:
    return "run with changed settings only" if owner in changed else "not run"
