"""A run while it runs: its log, its figures, its result, and the lock that says that it is running."""

import json
import os
import re
import time
from contextlib import suppress
from dataclasses import replace
from hashlib import sha256
from math import inf, prod
from pathlib import Path
from typing import Any

from regard.claims import ClaimVerdict
from regard.errors import RegardError
from regard.files import explained, settle, write
from regard.lab.events import NAMES, Kept, Metric, PairedMetric, ProgressEvent, pack
from regard.lab.store.lock import Lock
from regard.lab.store.log import Log
from regard.lab.store.run import CAME, LOCK, LOG, RESULT, State, identity

PROGRESS = "progress.json"
"A file of a run that is running: what it does, and which share of it is behind it."
PAUSE = 0.25
"Seconds between two writings of it."


class Writer:
    """Everything it is given is on disk before the call returns."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.figures = path / "figures"
        self._lock = Lock(path / LOCK)
        with explained(path):
            if (path / RESULT).exists():  # of a run that is taken up: what came of it is to be seen again
                (path / RESULT).unlink()
                settle(path)
        self._log = Log(path / LOG)
        self._measured: set[tuple] = set()
        self._told = -inf
        self._share = 0.0

    def record(self, event: Any) -> None:
        """Add an event to the log, in one write; what is no event is told."""
        kept = _checked(event)
        if isinstance(kept, Metric | PairedMetric):
            self._require_new(kept)
        self._log.add(pack(kept))

    def _require_new(self, event: Metric | PairedMetric) -> None:
        """Refuse a second measurement of the same thing: only one of them would count."""
        if identity(event) in self._measured:
            raise RegardError(
                f"'{event.name}' is measured twice",
                "the same name, seed and coordinates",
                "give each a seed, or coordinates at={…}",
            )
        self._measured.add(identity(event))

    def draw(self, name: str, picture: bytes, caption: str) -> None:
        """Keep a figure; the log speaks of it only once the file is there."""
        if not re.fullmatch(r"[\w][\w .-]*", name):
            raise RegardError(
                "a figure's name is that of its file", repr(name), "use letters, digits, dashes and blanks"
            )
        with explained(self.figures):
            self.figures.mkdir(exist_ok=True)
        write(self.figures / f"{name}.svg", picture)
        digest = sha256(picture).hexdigest()
        self._log.add({"kind": "figure", "name": name, "caption": caption, "sha256": digest})

    def progress(self, event: ProgressEvent) -> None:
        """Tell those who watch from outside how far the run is; no more than a few times a second."""
        self._share = event.share
        if time.monotonic() - self._told < PAUSE:
            return
        self._told = time.monotonic()
        draft = self.path / f".{PROGRESS}"
        with suppress(OSError):  # nothing depends on it
            draft.write_text(json.dumps({"what": event.told, "share": event.share}), encoding="utf-8")
            os.replace(draft, self.path / PROGRESS)

    def finish(self, state: State, verdicts: list[ClaimVerdict], *, seconds: float, error: str = "") -> None:
        """Say what came of the run, and of one that was cut off how far it came."""
        settled = [
            {"claim": one.claim.plain(), "state": one.state, "value": one.value, "reason": one.reason}
            for one in verdicts
        ]
        result = {"state": state, "seconds": seconds, "error": error, "verdicts": settled}
        result |= {} if state == "finished" else {"share": self._share}
        write(self.path / RESULT, CAME.page(result | {"log": self._log.vouch()}))

    def close(self) -> None:
        """Let go of the run's files."""
        (self.path / PROGRESS).unlink(missing_ok=True)
        self._log.close()
        self._lock.release()


def _checked(event: Any) -> Kept:
    """What an experiment handed out, if it can be kept: its numbers as Python has them."""
    if isinstance(event, Metric):
        return replace(event, value=_number(event.name, event.value))
    if isinstance(event, PairedMetric):
        if event.first.keys() != event.second.keys() or not event.first:
            seeds = " and ".join(str(sorted(side)) for side in (event.first, event.second))
            raise RegardError(
                f"the comparison '{event.name}' pairs other seeds", seeds, "measure both sides under the same"
            )
        first, second = (
            {seed: _number(event.name, value) for seed, value in side.items()}
            for side in (event.first, event.second)
        )
        return replace(event, first=first, second=second)
    if type(event) not in NAMES:
        raise RegardError(
            "an experiment yields events",
            f"a {type(event).__name__}",
            "yield Metric(name, value), for one",
        )
    return event


def _number(name: str, value: Any) -> float:
    shape = getattr(value, "shape", ())
    if isinstance(shape, tuple) and prod(shape) != 1:
        raise RegardError(
            f"the measurement '{name}' is one number",
            f"a {type(value).__name__} of shape {tuple(shape)}",
            "give one number, such as its mean, or a Metric for each",
        )
    try:
        value = value.detach() if hasattr(value, "detach") else value
        return float(value.item() if hasattr(value, "item") else value)
    except (TypeError, ValueError, RuntimeError, OverflowError):
        raise RegardError(
            f"the measurement '{name}' is no number", f"a {type(value).__name__}", "give a float"
        ) from None
