"""Runs on disk. The folder of a run is the truth: what was asked, what was measured, what came of it."""

import json
import os
import secrets
import shutil
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from regard.claims import Claim, ClaimVerdict
from regard.errors import RegardError, nearest
from regard.files import explained, settle, write
from regard.lab.events import Kept, Metric, PairedMetric, TableEvent, TextEvent, pack, unpack
from regard.lab.store.lock import Lock, held

State = Literal["running", "interrupted", "finished", "out of time", "without data", "stopped", "broken"]
REQUEST, LOG, RESULT, LOCK, REPORT = "run.json", "log.jsonl", "result.json", "lock", "report.html"
NAME = 32  # characters of the experiment's name that a folder's name takes


class Writer:
    """A run while it runs: everything it is given is on disk before the call returns."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.figures = path / "figures"
        self._lock = Lock(path / LOCK)
        with explained(path):
            self._log = os.open(path / LOG, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)

    def record(self, event: Kept) -> None:
        """Add an event to the log, in one write."""
        self._append(pack(event))

    def draw(self, name: str, picture: bytes, caption: str) -> None:
        """Keep a figure; the log speaks of it only once the file is there."""
        with explained(self.figures):
            self.figures.mkdir(exist_ok=True)
        write(self.figures / f"{name}.svg", picture)
        self._append({"kind": "figure", "name": name, "caption": caption})

    def finish(self, state: State, verdicts: list[ClaimVerdict], *, seconds: float, error: str = "") -> None:
        """Say what came of the run."""
        with explained(self.path):
            os.fsync(self._log)
        settled = [
            {"claim": one.claim.plain(), "state": one.state, "value": one.value, "reason": one.reason}
            for one in verdicts
        ]
        result = {"state": state, "seconds": seconds, "error": error, "verdicts": settled}
        write(self.path / RESULT, json.dumps(result, indent=1))

    def close(self) -> None:
        """Let go of the run's files."""
        os.close(self._log)
        self._lock.release()

    def _append(self, line: Mapping[str, Any]) -> None:
        data = (json.dumps(line) + "\n").encode()
        with explained(self.path):
            written = os.write(self._log, data)
            if written < len(data):
                os.write(self._log, data[written:])


@dataclass(frozen=True)
class Run:
    """A run as its folder tells it."""

    path: Path

    @property
    def id(self) -> str:
        return self.path.name

    @property
    def name(self) -> str:
        """The experiment's name, as far as the folder's name has it."""
        return self.id.rsplit("-", 4)[0]

    @cached_property
    def request(self) -> dict[str, Any]:
        """The experiment's text, its settings, the environment and the key."""
        try:
            return json.loads((self.path / REQUEST).read_text())
        except ValueError as error:
            raise RegardError(
                "this run's folder is damaged", f"{self.path / REQUEST}: {error}", "remove the folder"
            ) from error

    @cached_property
    def lines(self) -> list[dict[str, Any]]:
        """The log; a last line that a crash cut in two does not count."""
        with suppress(FileNotFoundError):
            return list(_whole((self.path / LOG).read_bytes()))
        return []

    @cached_property
    def events(self) -> list[Kept]:
        """What was handed out; of things said twice, as by a run that was taken up again, the later one."""
        events = [unpack(line) for line in self.lines if line["kind"] != "figure"]
        return list({_identity(event): event for event in events}.values())

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

    @cached_property
    def result(self) -> dict[str, Any]:
        """What came of it; a run without a result is running, or was cut off."""
        with suppress(FileNotFoundError, json.JSONDecodeError):
            return json.loads((self.path / RESULT).read_text())
        state = "running" if held(self.path / LOCK) else "interrupted"
        return {"state": state, "seconds": None, "error": "", "verdicts": []}

    @property
    def state(self) -> State:
        return self.result["state"]

    @property
    def verdicts(self) -> list[ClaimVerdict]:
        """One for each claim; before the run has settled them, none is settled."""
        if self.result["verdicts"]:
            return [
                ClaimVerdict(Claim(**one["claim"]), one["state"], one["value"], one["reason"])
                for one in self.result["verdicts"]
            ]
        return [
            Claim(**one).settle(None, reason=f"the run is {self.state}") for one in self.request["claims"]
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


def _identity(event: Kept) -> tuple:
    """What makes two events speak of the same thing."""
    if isinstance(event, Metric):
        return Metric, event.name, event.seed, tuple(sorted(event.at.items()))
    return type(event), event.name


def _whole(log: bytes) -> Iterator[dict[str, Any]]:
    for line in log.split(b"\n")[:-1]:
        with suppress(json.JSONDecodeError):
            yield json.loads(line)


@dataclass(frozen=True)
class Store:
    """A folder of runs."""

    root: Path

    def create(self, name: str, preset: str, request: Mapping[str, Any]) -> Writer:
        """A folder for a new run, visible only once it says what was asked; two at once get two folders."""
        with explained(self.root):
            self.root.mkdir(parents=True, exist_ok=True)
            self._sweep()
            draft = self.root / f".new-{os.getpid()}-{secrets.token_hex(4)}"
            draft.mkdir()
        write(draft / REQUEST, json.dumps(request, indent=1))
        stamp = datetime.now().strftime("%Y%m%d-%H%M%S%f")[:-3]
        with explained(self.root):
            path = self.root / f"{name[:NAME]}-{preset}-{stamp}-{secrets.token_hex(3)}"
            os.rename(draft, path)
            settle(self.root)
        return Writer(path)

    def runs(self) -> list[Run]:
        """Every run in the folder, the oldest first."""
        paths = [path.parent for path in self.root.glob(f"[!.]*/{REQUEST}")]
        return sorted((Run(path) for path in paths), key=lambda run: (run.id.rsplit("-", 3)[1:3], run.id))

    def find(self, word: str) -> Run:
        """The run of that id, or the newest run of the experiment of that name."""
        runs = self.runs()
        name = word.replace("_", "-")[:NAME]
        named = [run for run in runs if run.id == word] or [run for run in runs if run.name == name]
        if named:
            return named[-1]
        known = {run.id for run in runs} | {run.name for run in runs}
        raise RegardError(
            "no run of that name",
            f"'{word}'",
            nearest(word, known, "'regard list --runs' shows what was run"),
        )

    def _sweep(self) -> None:
        """Remove what a crash left half made an hour ago or earlier."""
        for draft in self.root.glob(".new-*"):
            with suppress(OSError):
                if time.time() - draft.stat().st_mtime > 3600:
                    shutil.rmtree(draft)
