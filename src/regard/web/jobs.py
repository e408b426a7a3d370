"""Runs that are started from the browser: built-in experiments, each in a process of its own."""

import asyncio
import os
import secrets
import signal
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from regard.lab import registry
from regard.lab.store.index import RunIndex, RunLine
from regard.lab.store.resumption import RESUMABLE
from regard.lab.store.runs import RUNS, Store
from regard.lab.theorems import PREFIX
from regard.theory import library
from regard.web.refusal import Refusal
from regard.web.signals import end, interrupt

RUNNING = 2
"Jobs at once."
REMEMBERED = 50
"Jobs that have ended and are still told of."
INTERRUPTED = (-signal.SIGINT, -signal.SIGTERM)
"How a process ends that a signal met before or after its own handler was there."
TOLD = 4096
"Bytes of a process's last words that are read."


@dataclass(eq=False)
class LabJob:
    """A process that runs an experiment."""

    id: str
    experiment: str
    preset: str
    process: asyncio.subprocess.Process
    words: IO[bytes]
    "What it writes on its standard error."
    run: str | None = None
    "The id of its run, once the folder is there."
    begun: float = field(default_factory=time.monotonic)
    stopping: bool = False

    def state(self) -> str:
        """starting, running, stopping, finished, stopped, or failed."""
        code = self.process.returncode
        if code is None:
            return "stopping" if self.stopping else "starting" if self.run is None else "running"
        if code == 0:
            return "finished"
        return "stopped" if code in (130, 143) or (self.stopping and code in INTERRUPTED) else "failed"

    def document(self) -> dict[str, Any]:
        """The job as the browser is told of it."""
        return {
            "kind": "job",
            "version": 1,
            "id": self.id,
            "experiment": self.experiment,
            "preset": self.preset,
            "run": self.run,
            "state": self.state(),
            "seconds": round(time.monotonic() - self.begun, 1),
            "error": self._error() if self.state() == "failed" else None,
        }

    def _error(self) -> dict[str, str]:
        """Its last words: three lines, as every command tells a mistake."""
        self.words.seek(0)
        lines = self.words.read(TOLD).decode(errors="replace").strip().splitlines() or ["it said nothing"]
        told = {"what": lines[0], "got": f"exit code {self.process.returncode}", "fix": "see the run's page"}
        for line in lines[1:]:
            for name in ("got", "fix"):
                if line.strip().startswith(f"{name}: "):
                    told[name] = line.strip().removeprefix(f"{name}: ")
        return {name: text[:500] for name, text in told.items()}


class Jobs:
    """The jobs of a server. What is run is looked up by name; no file and no path comes from a request."""

    def __init__(self, store: Store, index: RunIndex) -> None:
        self.store, self.index = store, index
        self._jobs: dict[str, LabJob] = {}

    def documents(self) -> list[dict[str, Any]]:
        """Every job that is running, or was started lately."""
        self._match()
        return [job.document() for job in self._jobs.values()]

    def find(self, id: str) -> LabJob:
        """The job of an id."""
        self._match()
        if id not in self._jobs:
            raise Refusal(404, "no job of that id", id, "reload the page; the server may be a new one")
        return self._jobs[id]

    async def start(self, experiment: str, preset: str, seed: int, changes: Sequence[str]) -> LabJob:
        """Run an experiment; its settings were checked before."""
        sets = [word for change in changes for word in ("--set", change)]
        return await self._begin(
            experiment, preset, [experiment, "--preset", preset, "--seed", str(seed), *sets]
        )

    async def resume(self, line: RunLine) -> LabJob:
        """Take up a run of a built-in experiment that was stopped."""
        if line.state not in RESUMABLE:
            fix = "take up one that was stopped, or start anew"
            raise Refusal(409, f"this run is {line.state}", line.id, fix)
        if line.verb != "run" or not built_in(line.name, line.source):
            fix = f"in a terminal: regard {line.verb} --resume {line.path.name}"
            raise Refusal(409, "only built-in experiments are taken up here", line.name, fix)
        job = await self._begin(line.name, line.preset, [line.name, "--resume", line.path.name])
        job.run = line.id
        return job

    async def _begin(self, experiment: str, preset: str, words: list[str]) -> LabJob:
        if sum(job.process.returncode is None for job in self._jobs.values()) >= RUNNING:
            raise Refusal(
                409, "other runs are under way", f"{RUNNING} of them", "stop one, or wait for its end"
            )
        last_words = tempfile.TemporaryFile()  # noqa: SIM115
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "regard", "run", *words, "--json",
            stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.DEVNULL, stderr=last_words,
            env=os.environ | {RUNS: str(self.store.root.resolve())}, start_new_session=True,
        )  # fmt: skip
        job = LabJob(secrets.token_hex(8), experiment, preset, process, last_words)
        self._jobs[job.id] = job
        for old in [one for one in self._jobs.values() if one.process.returncode is not None][:-REMEMBERED]:
            old.words.close()
            del self._jobs[old.id]
        return job

    def stop(self, id: str) -> LabJob:
        """Ask a job to stop at its next step, as Ctrl-C does; asked twice, it stops at once."""
        job = self.find(id)
        if job.process.returncode is not None:
            raise Refusal(409, "this run has ended", job.state(), "reload the page")
        interrupt(job.process)
        job.stopping = True
        return job

    async def close(self, patience: float = 5.0) -> None:
        """Stop what runs, so that it can be taken up later; what does not listen is ended."""
        alive = [job.process for job in self._jobs.values() if job.process.returncode is None]
        for process in alive:
            interrupt(process)
        waiting = [asyncio.ensure_future(process.wait()) for process in alive]
        if waiting:
            _, late = await asyncio.wait(waiting, timeout=patience)
            for process in alive if late else []:
                end(process)
        for job in self._jobs.values():
            job.words.close()

    def _match(self) -> None:
        """Find the run of each job that has none yet, by the process that began it."""
        waiting = {job.process.pid: job for job in self._jobs.values() if job.run is None}
        for line in self.index.lines() if waiting else []:
            job = waiting.get(line.process or 0)
            if job is not None and line.name == job.experiment:
                job.run = line.id


def built_in(name: str, source: str) -> bool:
    """Whether a run's file is that of the package's own experiment of that name."""
    theorem = name.removeprefix(PREFIX)
    known = registry.rooms() | ({name: library.path(theorem)} if theorem in library.names() else {})
    return name in known and Path(source).resolve() == known[name].resolve()
