"""A folder of runs. The folder of each run is the truth about it."""

import os
import secrets
import shutil
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from regard.errors import RegardError, nearest
from regard.files import explained, settle, write
from regard.lab.store.run import ASKED, LOG, REQUEST, RESULT, Run
from regard.lab.store.writer import Writer

NAME = 32  # characters of the experiment's name that a folder's name takes


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

    def find(self, word: str) -> Run:
        """The run of that id, or the newest run of the experiment of that name."""
        runs = self.runs()
        name = word.replace("_", "-")
        named = [run for run in runs if run.id == word] or [run for run in runs if run.name == name]
        if named:
            return _sound(named[-1])
        known = {run.id for run in runs} | {run.name for run in runs}
        raise RegardError(
            "no run of that name",
            f"'{word}'",
            nearest(word, known, "'regard list --runs' shows what was run"),
        )

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


def _sound(run: Run) -> Run:
    if run.problem:
        raise run.problem
    return run
