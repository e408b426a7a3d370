"""A recorded run made again: which numbers agree with the record, and which do not."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isclose

from regard.errors import RegardError, nearest
from regard.lab import registry
from regard.lab.records.meaning import meaning
from regard.lab.records.record import Record, RecordedNumber, recorded_claims, recorded_numbers, records
from regard.lab.runner import Watch, run
from regard.lab.settings import change, choose, devices, moved
from regard.lab.store.fingerprint import code
from regard.lab.store.run import Run
from regard.lab.store.runs import Store

NEAR = {"rel_tol": 0.02, "abs_tol": 1e-4}
"How far another processor may be, where a number was measured once and has no interval."


@dataclass(frozen=True)
class Agreement:
    """A number or a verdict of the record beside that of another run."""

    name: str
    recorded: str
    now: str
    agrees: bool


@dataclass(frozen=True)
class Reproduction:
    """A record beside a run that was made like it."""

    record: Record
    run: Run
    compared: list[Agreement]

    @property
    def agrees(self) -> bool:
        return all(one.agrees for one in self.compared)


def recorded(name: str) -> Record:
    """The record of an experiment."""
    known = records()
    if name not in known:
        fix = nearest(name, known, "'regard reproduce' lists the records") if known else "there is none yet"
        raise RegardError("no recorded run of that name", f"'{name}'", fix)
    return known[name]


def stale() -> dict[str, list[str]]:
    """For each record whose code has changed since, the files that have."""
    found = {name: one.changed(code_now(name)) for name, one in records().items() if name in registry.names()}
    return {name: files for name, files in found.items() if files}


def code_now(name: str) -> dict[str, str]:
    """The digests of the files that an experiment depends on today."""
    _, source = registry.find(name)
    return meaning(code(source))


def reproduce(
    name: str, store: Store, *, seed: int | None = None, elsewhere: Sequence[str] = (), watch: Watch
) -> Reproduction:
    """Run what was recorded again, with its settings, and hold the two side by side.

    `elsewhere` are words such as 'device=cpu', for a machine that has not the record's device.
    """
    before = recorded(name)
    experiment, source = registry.find(name)
    preset = choose(experiment.presets, before.preset)
    changes = moved(before.changes, elsewhere, devices(preset), "a record is made again as it was")
    done = run(
        experiment, change(preset, changes), store, source=source, preset=before.preset, changes=changes,
        seed=before.seed if seed is None else seed, watch=watch,
    )  # fmt: skip
    return Reproduction(before, done, compare(before, done))


def compare(before: Record, done: Run) -> list[Agreement]:
    """Every number and every verdict of a record beside those of a run.

    Under another seed a number that was measured once has nothing to agree with but its claim.
    """
    same = before.seed == done.request["seed"]
    numbers, claims = recorded_numbers(done), recorded_claims(done)
    return [
        *(
            Agreement(name, _shown(one), _shown(numbers.get(name)), overlap(one, numbers.get(name)))
            for name, one in before.numbers.items()
            if same or one.low is not None
        ),
        *(
            Agreement(f"claim: {name}", one.state, claims[name].state if name in claims else "gone",
                       name in claims and claims[name].state == one.state)
            for name, one in before.claims.items()
        ),
    ]  # fmt: skip


def overlap(first: RecordedNumber, second: RecordedNumber | None) -> bool:
    """Whether two intervals have a point in common; numbers measured once agree within `NEAR`."""
    if second is None:
        return False
    if first.low is None or first.high is None or second.low is None or second.high is None:
        return isclose(first.mean, second.mean, **NEAR)
    return (first.low <= second.high and second.low <= first.high) or isclose(first.mean, second.mean, **NEAR)


def _shown(one: RecordedNumber | None) -> str:
    if one is None:
        return "not measured"
    interval = "" if one.low is None or one.high is None else f" ({one.low:.4g} to {one.high:.4g})"
    return f"{one.mean:.4g}{interval}"
