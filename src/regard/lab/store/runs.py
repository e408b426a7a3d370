"""A folder of runs. The folder of each run is the truth about it."""

import os
import secrets
import shutil
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from regard.errors import RegardError, nearest
from regard.files import explained, settle, write
from regard.lab.store.lock import Lock
from regard.lab.store.run import ASKED, LOCK, LOG, REQUEST, RESULT, Run
from regard.lab.store.writer import Writer

NAME = 32  # characters of the experiment's name that a folder's name takes
RUNS = "REGARD_RUNS"


@dataclass(frozen=True)
class Wanted:
    """What a run must have to be meant by an experiment's name."""

    what: str
    "What it does, after 'no run of NAME'."
    test: Callable[[Run], bool]
    "Whether a run has it."
    remedy: str = "'regard list --runs' shows what was run"
    "What to do where no run has it."


ANYTHING = Wanted("is there", lambda run: True)


@dataclass(frozen=True)
class Store:
    """A folder of runs."""

    root: Path

    def create(self, name: str, preset: str, request: Mapping[str, Any]) -> Writer:
        """A folder for a new run, visible only once it says what was asked; two at once get two folders."""
        self._require_folder()
        with explained(self.root):
            self.root.mkdir(parents=True, exist_ok=True)
            self._sweep()
            draft = self.root / f".new-{os.getpid()}-{secrets.token_hex(4)}"
            draft.mkdir()
        write(draft / REQUEST, ASKED.page(request))
        stamp = datetime.now().strftime("%Y%m%d-%H%M%S%f")[:-3]
        with explained(self.root):
            path = self.root / f"{name[:NAME]}-{preset}-{stamp}-{secrets.token_hex(3)}"
            os.rename(draft, path)
            settle(self.root)
        return Writer(path)

    def runs(self) -> list[Run]:
        """Every run in the folder, the oldest first; those that cannot be read too."""
        self._require_folder()
        files = (path for name in (REQUEST, LOG, RESULT) for path in self.root.glob(f"[!.]*/{name}"))
        runs = [Run(path) for path in {file.parent for file in files}]
        return sorted(runs, key=lambda run: (run.begun, run.id))

    def find(self, word: str, wanted: Wanted = ANYTHING) -> Run:
        """The run that a path, an id, the beginning of an id, or an experiment's name stands for.

        A name stands for its newest finished run that has what is wanted; where none finished, the newest.
        """
        found = self.meant(word, wanted)
        if found.problem:
            raise found.problem
        return found

    def meant(self, word: str, wanted: Wanted = ANYTHING) -> Run:
        """The same, whether or not the run can be read."""
        if "/" in word or os.sep in word:
            return _at(Path(word))
        runs = self.runs()
        name = word.replace("_", "-")
        for exact in (run for run in runs if run.id == word):
            return exact
        if named := [run for run in runs if run.name == name]:
            return _newest(name, named, wanted)
        alike = [run for run in runs if word and (run.id.startswith(word) or run.id.endswith(f"-{word}"))]
        if len(alike) == 1:
            return alike[0]
        if alike:
            ids = ", ".join(run.id for run in alike[-3:])
            raise RegardError(
                f"{len(alike)} runs begin like that", f"'{word}'", f"give more of it; the newest are {ids}"
            )
        if _is_run(Path(word)):
            return Run(Path(word).resolve())
        known = {run.id for run in runs} | {run.name for run in runs}
        raise RegardError(
            "no run of that name",
            f"'{word}'",
            nearest(word, known, "'regard list --runs' shows what was run"),
        )

    def remove(self, run: Run) -> None:
        """Remove a run's folder, unless the run is running, or the folder may be something else."""
        if run.state == "damaged" and run.path.resolve().parent != self.root.resolve():
            raise RegardError(
                "only what is surely a run is removed", str(run.path), "remove the folder by hand"
            )
        lock = Lock(run.path / LOCK)
        try:
            with explained(run.path):
                shutil.rmtree(run.path)
        finally:
            lock.release()

    def _require_folder(self) -> None:
        if self.root.exists() and not self.root.is_dir():
            raise RegardError(
                "runs go to a folder", f"{self.root}, a file", "move it away, or set REGARD_RUNS to a folder"
            )

    def _sweep(self) -> None:
        """Remove what a crash left half made an hour ago or earlier."""
        for draft in self.root.glob(".new-*"):
            with suppress(OSError):
                if time.time() - draft.stat().st_mtime > 3600:
                    shutil.rmtree(draft)


def here() -> Store:
    """The store of this place: the folder that REGARD_RUNS names, else runs."""
    return Store(Path(os.environ.get(RUNS) or "runs"))


def _newest(name: str, runs: Sequence[Run], wanted: Wanted) -> Run:
    readable = [run for run in runs if not run.problem]
    if not readable:
        return runs[-1]
    having = [run for run in readable if wanted.test(run)]
    if not having:
        states = ", ".join(sorted({run.state for run in readable}))
        raise RegardError(
            f"no run of {name} {wanted.what}",
            f"{len(readable)} of them: {states}",
            wanted.remedy,
        )
    return ([run for run in having if run.state == "finished"] or having)[-1]


def _is_run(folder: Path) -> bool:
    return any((folder / file).is_file() for file in (REQUEST, LOG, RESULT))


def _at(folder: Path) -> Run:
    if not _is_run(folder):
        raise RegardError(
            "no run in that folder", f"'{folder}'", f"name the folder of a run: it holds {REQUEST}"
        )
    return Run(folder.resolve())
