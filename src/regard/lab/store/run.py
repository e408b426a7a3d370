"""A run as its folder tells it: what was asked, what was measured, what came of it."""

import re
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal

from regard.claims import Claim, ClaimVerdict
from regard.errors import RegardError
from regard.files import Damaged, Format, OtherFormat
from regard.lab.events import Kept, Metric, PairedMetric, TableEvent, TextEvent, unpack
from regard.lab.settings import set_name
from regard.lab.store import log
from regard.lab.store.lock import held

State = Literal[
    "running", "interrupted", "finished", "out of time", "without data", "stopped", "broken",
    "damaged", "other format",
]  # fmt: skip
REQUEST, LOG, RESULT, LOCK, REPORT = "run.json", "log.jsonl", "result.json", "lock", "report.html"
TRACEBACK = "traceback.txt"
AGAIN = "run the experiment again, or read it with the version that wrote it"
ASKED = Format("run", 2, AGAIN, fields=("name", "started", "claims"), early=("name", "key", "claims"))
CAME = Format(
    "result",
    2,
    AGAIN,
    fields=("state", "seconds", "error", "verdicts", "log"),
    early=("state", "seconds", "verdicts"),
)
STAMP = re.compile(r"(.+)-[^-]+-(\d{8}-\d{9})-[0-9a-f]{6}")


@dataclass(frozen=True)
class Run:
    """A run on disk."""

    path: Path

    @property
    def id(self) -> str:
        return self.path.name

    @cached_property
    def name(self) -> str:
        """The experiment's name; where the folder is damaged, as much of it as the folder's name has."""
        with suppress(RegardError):
            return self.request["name"]
        found = STAMP.fullmatch(self.id)
        return found[1] if found else self.id

    @cached_property
    def begun(self) -> float:
        """When it began, in seconds; where the folder is damaged, as its name says."""
        with suppress(RegardError):
            return datetime.fromisoformat(self.request["started"]).timestamp()
        found = STAMP.fullmatch(self.id)
        with suppress(ValueError):
            return datetime.strptime(found[2], "%Y%m%d-%H%M%S%f").timestamp() if found else 0.0
        return 0.0

    @cached_property
    def request(self) -> dict[str, Any]:
        """The experiment's text, its settings, the environment and the key."""
        try:
            return ASKED.read(self.path / REQUEST)
        except Damaged as error:
            raise self._damaged(error) from error

    @cached_property
    def result(self) -> dict[str, Any]:
        """What came of it; a run without a result is running, or was cut off."""
        if held(self.path / LOCK):
            return {"state": "running", "seconds": None, "error": "", "verdicts": []}
        if not (self.path / RESULT).exists():
            return {"state": "interrupted", "seconds": None, "error": "", "verdicts": []}
        try:
            found = CAME.read(self.path / RESULT)
            log.check(self.path / LOG, found["log"])
        except Damaged as error:
            raise self._damaged(error) from error
        return found

    @cached_property
    def lines(self) -> list[dict[str, Any]]:
        """The log; a last line that a crash cut in two does not count."""
        try:
            return log.read(self.path / LOG).lines
        except Damaged as error:
            raise self._damaged(error) from error

    @cached_property
    def problem(self) -> RegardError | None:
        """Why the folder cannot be read, if it cannot: damage, or the format of another version."""
        try:
            _ = self.request
            if self.result["state"] == "interrupted":
                _ = self.lines
        except RegardError as error:
            return error
        return None

    @property
    def resized(self) -> list[str]:
        """By which words it measured something else than its preset; another device measures the same."""
        devices = self.request.get("devices", [])
        return [one for one in self.request["changes"] if set_name(one) not in devices]

    @property
    def state(self) -> State:
        if self.problem is None:
            return self.result["state"]
        return "other format" if isinstance(self.problem, OtherFormat) else "damaged"

    @cached_property
    def events(self) -> list[Kept]:
        """What was handed out; of things said twice, as by a run that was taken up again, the later one."""
        events = [unpack(line) for line in self.lines if line["kind"] != "figure"]
        return list({identity(event): event for event in events}.values())

    @property
    def measured(self) -> list[Metric]:
        return [event for event in self.events if isinstance(event, Metric)]

    @property
    def compared(self) -> list[PairedMetric]:
        return [event for event in self.events if isinstance(event, PairedMetric)]

    @property
    def tables(self) -> list[TableEvent]:
        return [event for event in self.events if isinstance(event, TableEvent)]

    @property
    def said(self) -> list[TextEvent]:
        return [event for event in self.events if isinstance(event, TextEvent)]

    @property
    def figures(self) -> list[tuple[str, str, Path]]:
        """Name, caption and file of each figure, in the order drawn; one drawn again counts once."""
        drawn = {line["name"]: line["caption"] for line in self.lines if line["kind"] == "figure"}
        return [(name, caption, self.path / "figures" / f"{name}.svg") for name, caption in drawn.items()]

    def figure(self, name: str) -> str | None:
        """A figure as it was drawn; none where its file is gone or is not what was written."""
        digest = {line["name"]: line["sha256"] for line in self.lines if line["kind"] == "figure"}.get(name)
        with suppress(OSError):
            data = (self.path / "figures" / f"{name}.svg").read_bytes()
            return data.decode() if sha256(data).hexdigest() == digest else None
        return None

    @property
    def verdicts(self) -> list[ClaimVerdict]:
        """One for each claim; before the run has settled them, none is settled."""
        if self.result["verdicts"]:
            return [
                ClaimVerdict(Claim.from_plain(one["claim"]), one["state"], one["value"], one["reason"])
                for one in self.result["verdicts"]
            ]
        return [
            Claim.from_plain(one).settle(None, reason=f"the run is {self.state}")
            for one in self.request["claims"]
        ]

    def metrics(self) -> list[dict[str, Any]]:
        """Every measurement as a flat row, for CSV."""
        rows = [{"name": one.name, "value": one.value, "seed": one.seed, **one.at} for one in self.measured]
        for pair in self.compared:
            for label, side in zip(pair.labels, (pair.first, pair.second), strict=True):
                rows += [
                    {"name": pair.name, "value": value, "seed": seed, "variant": label}
                    for seed, value in side.items()
                ]
        return rows

    def _damaged(self, error: Damaged) -> RegardError:
        return RegardError(
            "this run's folder is damaged",
            f"{self.path}: {error}",
            f"run the experiment again; what is still whole of its measurements stands in {self.path / LOG}",
        )


def identity(event: Kept) -> tuple:
    """What makes two events speak of the same thing."""
    if isinstance(event, Metric):
        return Metric, event.name, event.seed, tuple(sorted(event.at.items()))
    return type(event), event.name
