"""A recorded run: its values, intervals and verdicts in one small JSON page that comes with the package."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from functools import cache
from math import isfinite
from pathlib import Path
from typing import Any

from regard.claims import State
from regard.errors import RegardError
from regard.files import Format, write
from regard.lab import registry
from regard.lab.answer import summaries
from regard.lab.records.meaning import meaning
from regard.lab.settings import set_name
from regard.lab.store.entries import settled_items
from regard.lab.store.fingerprint import changed_since
from regard.lab.store.run import Run

FOLDER = Path(__file__).parents[2] / "results"
PAGE = Format(
    "record", 1, "run the experiment again and record that", fields=("name", "claims", "numbers", "code")
)


@dataclass(frozen=True)
class RecordedNumber:
    """A measured number: its mean, and the interval of the mean where it has several seeds."""

    mean: float
    low: float | None
    high: float | None
    count: int


@dataclass(frozen=True)
class RecordedClaim:
    """What came of a claim in a recorded run."""

    state: State
    value: float | None
    reason: str


@dataclass(frozen=True)
class Record:
    """What came of a run that is kept with the package."""

    name: str
    preset: str
    changes: tuple[str, ...]
    "By which words it differs from the preset; beside a device, they leave claims of the full size open."
    settings: Mapping[str, Any]
    seed: int
    date: str
    seconds: float
    environment: Mapping[str, Any]
    claims: Mapping[str, RecordedClaim]
    items: Mapping[int, State]
    numbers: Mapping[str, RecordedNumber]
    code: Mapping[str, str]
    "A digest of each file that it depends on, comments and docstrings aside."
    devices: tuple[str, ...] = ()
    "The settings that say where it was computed."

    @property
    def size(self) -> str:
        """The preset, what was made smaller, and on which device where that is not the preset's."""
        return self.preset + (f" with {', '.join(self.changes)}" if self.changes else "")

    @property
    def command(self) -> str:
        """The words that make such a run."""
        changes = "".join(f" --set {one}" for one in self.changes)
        seed = f" --seed {self.seed}" if self.seed else ""
        return f"regard run {self.name} --preset {self.preset}{changes}{seed}"

    @property
    def full(self) -> bool:
        """Whether it is one of the full preset, on whichever device."""
        return self.preset == "full" and all(set_name(one) in self.devices for one in self.changes)

    def changed(self, code: Mapping[str, str]) -> list[str]:
        """The files that are no longer what they were when it was made."""
        names = dict.fromkeys([*self.code, *code])
        return [name for name in names if self.code.get(name) != code.get(name)]


def record(run: Run, folder: Path = FOLDER) -> Path:
    """Keep what came out of a finished run; give the file that tells it."""
    if run.state != "finished":
        raise RegardError(
            "only a finished run can be recorded", f"{run.id}, {run.state}", "take it up with --resume first"
        )
    if run.name not in registry.names():
        raise RegardError(
            "only what comes with the package has a record", f"'{run.name}'", "'regard list' shows what does"
        )
    _require_its_code(run)
    place = folder / f"{run.name}.json"
    write(place, PAGE.page(_told(run)) + "\n")
    records.cache_clear()
    return place


def _require_its_code(run: Run) -> None:
    """Refuse a run of other code than is here: its record would say that nothing has changed since."""
    if changed := changed_since(run.request["code"]):
        more = f" and {len(changed) - 3} more" if len(changed) > 3 else ""
        raise RegardError(
            "the code has changed since this run was made",
            ", ".join(changed[:3]) + more,
            "run it again, or record it in a checkout of the code that made it",
        )


@cache
def records(folder: Path = FOLDER) -> dict[str, Record]:
    """Every record that comes with the package, by the name of its experiment."""
    return {path.stem: _read(path) for path in sorted(folder.glob("*.json"))}


def _told(run: Run) -> dict[str, Any]:
    request, claims = run.request, recorded_claims(run)
    return {
        "name": run.name,
        "preset": request["preset"],
        "changes": request["changes"],
        "devices": request.get("devices", []),
        "settings": request["settings"],
        "seed": request["seed"],
        "date": request["started"][:10],
        "seconds": round(run.result["seconds"], 1),
        "environment": {name: value for name, value in request["environment"].items() if value is not None},
        "claims": {name: asdict(one) for name, one in claims.items()},
        "items": _items(run, claims),
        "numbers": {name: asdict(one) for name, one in recorded_numbers(run).items()},
        "code": meaning(request["code"]),
    }


def recorded_claims(run: Run) -> dict[str, RecordedClaim]:
    """What came of each claim; one of the full size stays open where the run was a smaller one."""
    changes = run.resized
    return {
        one.claim.name: RecordedClaim(
            "not settled", one.value, f"run at a smaller size: {', '.join(changes)}"
        )
        if changes and one.claim.preset == "full"
        else RecordedClaim(one.state, one.value, one.reason)
        for one in run.verdicts
    }


def _items(run: Run, claims: Mapping[str, RecordedClaim]) -> dict[int, State]:
    return settled_items(replace(one, state=claims[one.claim.name].state) for one in run.verdicts)


def recorded_numbers(run: Run) -> dict[str, RecordedNumber]:
    """What was measured, curves aside."""
    return {
        name: RecordedNumber(
            one.mean,
            one.low if isfinite(one.low) else None,
            one.high if isfinite(one.high) else None,
            one.count,
        )
        for name, one in summaries(run).items()
        if isfinite(one.mean)
    }


def _read(path: Path) -> Record:
    page = PAGE.read(path)
    return Record(
        **{name: page[name] for name in ("name", "preset", "settings", "seed", "date", "seconds")},
        environment=page["environment"],
        changes=tuple(page["changes"]),
        claims={name: RecordedClaim(**one) for name, one in page["claims"].items()},
        items={int(number): state for number, state in page["items"].items()},
        numbers={name: RecordedNumber(**one) for name, one in page["numbers"].items()},
        code=page["code"],
        devices=tuple(page.get("devices", ())),
    )
