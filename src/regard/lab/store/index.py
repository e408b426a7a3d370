"""An index of runs, in memory: a line for each folder, read again only where its files changed.

A line is read from the pages of a run alone. Its log is weighed, not read, so that a thousand runs of ten
thousand points are listed in less than a second; whoever opens the run reads and checks all of it.
"""

import os
import re
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from regard.files import Damaged, OtherFormat
from regard.lab.experiment import ORIGINAL
from regard.lab.store.lock import held
from regard.lab.store.run import ASKED, CAME, LOCK, LOG, REQUEST, RESULT, Run
from regard.lab.store.runs import Store

FRESH = 0.4
"Seconds for which the lines stay as they are, however often they are asked for."
PLAIN_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,119}")
UNREADABLE: dict[str, Any] = {"name": "", "preset": "", "started": "", "changes": [], "claims": [], "seed": 0}
Stamp = tuple[tuple[int, int] | None, ...]


@dataclass(frozen=True)
class RunLine:
    """A run in a line."""

    id: str
    "The folder's name; a hash of it where the name has letters that an address cannot have."
    path: Path
    name: str
    preset: str
    seed: int
    state: str
    started: str
    begun: float
    "When it began, in seconds; lines are ordered by it."
    seconds: float | None
    claims: dict[str, int]
    "How many are held, failed, not settled, of those that were asked."
    changes: list[str]
    process: int | None = None
    "The process that began it."
    source: str = ""
    "The file of its experiment."
    verb: str = "run"
    stamp: Stamp = field(default=(), compare=False)


class RunIndex:
    """The runs of a store as lines; asking is cheap, so that many may ask."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self._lines: dict[str, RunLine] = {}
        self._ordered: list[RunLine] = []
        self._known: dict[str, RunLine] = {}
        self._looked = float("-inf")
        self._turn = threading.Lock()

    def lines(self) -> list[RunLine]:
        """Every run, the newest first."""
        with self._turn:
            if time.monotonic() - self._looked > FRESH:
                self._look()
                self._looked = time.monotonic()
            return self._ordered

    def find(self, id: str) -> RunLine | None:
        """The run of that id, if there is one: ids are looked up, and never made into a path."""
        self.lines()
        return self._known.get(id)

    def _look(self) -> None:
        found = {}
        for name, path in self._folders():
            stamp = tuple(_stamp(path / file) for file in (REQUEST, RESULT, LOG))
            if not any(stamp):
                continue
            line = self._lines.get(name)
            settled = stamp[1] is not None
            if line is None or line.stamp[:2] != stamp[:2] or (settled and line.stamp != stamp):
                line = _read(path, stamp)
            elif not settled and line.state in ("running", "interrupted"):
                line = replace(line, state=_unsettled(path), stamp=stamp)
            found[name] = line
        self._lines = found
        self._known = {line.id: line for line in found.values()}
        self._ordered = sorted(found.values(), key=lambda one: (one.begun, one.id), reverse=True)

    def _folders(self) -> Iterator[tuple[str, Path]]:
        with suppress(OSError), os.scandir(self.store.root) as entries:
            for entry in entries:
                if not entry.name.startswith(".") and entry.is_dir(follow_symlinks=False):
                    yield entry.name, Path(entry.path)


def _stamp(file: Path) -> tuple[int, int] | None:
    try:
        found = file.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size


def _read(path: Path, stamp: Stamp) -> RunLine:
    """The line of a folder, from its pages."""
    state, request, result = "damaged", UNREADABLE, {"seconds": None, "verdicts": []}
    try:
        request = ASKED.read(path / REQUEST)
        if stamp[1] is None:
            state = _unsettled(path)
        else:
            result = CAME.read(path / RESULT)
            whole = stamp[2] is not None and stamp[2][1] == result["log"]["bytes"]
            state = result["state"] if whole else "damaged"
    except OtherFormat:
        state, request = "other format", UNREADABLE
    except (Damaged, KeyError, TypeError):
        state, request = "damaged", UNREADABLE
    run = Run(path)
    if request is not UNREADABLE:
        vars(run)["request"] = request  # what was read is not read again
    asked = (one for one in result["verdicts"] if not one.get("reason", "").startswith(ORIGINAL))
    verdicts = Counter(one["state"] for one in asked)
    unsettled = 0 if result["verdicts"] else len(request["claims"])
    counts = {one: verdicts[one] for one in ("held", "failed")}
    return RunLine(
        _id(path.name),
        path,
        run.name,
        request["preset"],
        request["seed"],
        state,
        request["started"],
        run.begun,
        result["seconds"],
        counts | {"not settled": verdicts["not settled"] + unsettled},
        request["changes"],
        request.get("process"),
        request.get("source", ""),
        request.get("verb", "run"),
        stamp,
    )


def _unsettled(path: Path) -> str:
    return "running" if held(path / LOCK) else "interrupted"


def _id(folder: str) -> str:
    return (
        folder
        if PLAIN_ID.fullmatch(folder)
        else f"run-{sha256(folder.encode(errors='replace')).hexdigest()[:20]}"
    )
