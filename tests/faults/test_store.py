"""A store that survives death at any moment, and many starting at once."""

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from regard.claims import Claim
from regard.lab.events import Metric
from regard.lab.store.entries import entries
from regard.lab.store.runs import Store
from regard.lab.store.writer import Writer

CLAIM = Claim(name="height", low=0.0, why="so", source="here")
REQUEST = {
    "name": "heights",
    "preset": "quick",
    "changes": [],
    "key": "k",
    "claims": [CLAIM.plain()],
    "started": "2026-01-01T00:00:00+00:00",
}
CALLS = ("open", "write", "fsync", "replace", "rename", "mkdir", "unlink", "ftruncate")


def whole_run(store: Store) -> None:
    writer = store.create("heights", "quick", REQUEST)
    for seed in range(3):
        writer.record(Metric("height", 1.0 + seed, seed))
    writer.draw("line", b"<svg/>", "A line.")
    writer.finish("finished", [CLAIM.settle(1.0)], seconds=1.0)
    writer.close()


def in_a_child(work) -> int:
    """Run `work` in a forked process that ends without unwinding; its exit status."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            work()
            status = 0
        finally:
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def dying_at(number: int, work: Callable[[], None]) -> None:
    """Do some work, but die without a word at the call of that number into the file system."""
    left = [number]

    def counted(call):
        def wrapped(*words, **more):
            left[0] -= 1
            if left[0] < 0:
                os._exit(77)
            return call(*words, **more)

        return wrapped

    for name in CALLS:
        setattr(os, name, counted(getattr(os, name)))
    work()


@pytest.mark.slow
def test_death_at_every_call_into_the_file_system_leaves_a_store_that_reads(tmp_path: Path) -> None:
    for number in range(200):
        store = Store(tmp_path / str(number))
        status = in_a_child(partial(dying_at, number, partial(whole_run, store)))
        runs = store.runs()
        assert len(runs) <= 1
        for run in runs:
            values = [one.value for one in run.measured]
            assert values == [1.0, 2.0, 3.0][: len(values)]
            assert run.state in ("interrupted", "finished") and len(run.verdicts) == 1
            assert all(path.read_bytes() == b"<svg/>" for _, _, path in run.figures)
        assert len(entries(store)) == len(runs)
        whole_run(store)
        assert entries(store)[-1].state in ("finished", "interrupted")
        if status == 0:
            assert number > 20
            return
    pytest.fail("the run never came to its end")


def taken_up(path: Path) -> None:
    writer = Writer(path)
    writer.record(Metric("height", 4.0, 3))
    writer.finish("finished", [CLAIM.settle(1.0)], seconds=1.0)
    writer.close()


@pytest.mark.slow
def test_death_at_every_call_while_a_run_is_taken_up_leaves_a_run_that_reads(tmp_path: Path) -> None:
    """It is stopped as before, interrupted, or finished: never damaged, and no measurement is lost."""
    seen = set()
    for number in range(200):
        store = Store(tmp_path / str(number))
        writer = store.create("heights", "quick", REQUEST)
        writer.record(Metric("height", 1.0, 0))
        writer.finish("stopped", [CLAIM.settle(None)], seconds=1.0)
        writer.close()
        with open(writer.path / "log.jsonl", "ab") as log:
            log.write(b'{"kind": "metr' if number % 2 else b"")
        if number % 2:
            (writer.path / "result.json").unlink()
        status = in_a_child(partial(dying_at, number // 2, partial(taken_up, writer.path)))
        (run,) = store.runs()
        seen.add(run.state)
        assert run.problem is None and [one.value for one in run.measured] in ([1.0], [1.0, 4.0])
        if status == 0 and number % 2:
            assert number > 10 and seen == {"stopped", "interrupted", "finished"}
            return
    pytest.fail("the run never came to its end")


def test_sixteen_starting_at_once_get_sixteen_folders(tmp_path: Path) -> None:
    store = Store(tmp_path / "runs")
    start = time.time() + 0.5

    def begin() -> None:
        time.sleep(max(0.0, start - time.time()))
        whole_run(store)
        entries(store)

    children = []
    for _ in range(16):
        child = os.fork()
        if child == 0:
            status = 1
            try:
                begin()
                status = 0
            finally:
                os._exit(status)
        children.append(child)
    assert [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children] == [0] * 16
    assert [one.state for one in entries(store)] == ["finished"] * 16


ENDLESS = """
from dataclasses import dataclass
from regard.claims import Claim
from regard.lab.events import Metric
from regard.lab.experiment import Experiment

@dataclass(frozen=True)
class Settings:
    steps: int = 10**9

def run(settings, context):
    for step in range(settings.steps):
        yield Metric("count", step, 0, {"step": step})

EXPERIMENT = Experiment(question="?", method="", see="", presets={"quick": Settings()}, seconds=1, run=run,
                        claims=(Claim(name="count", low=0, why="so", source="me"),))
"""


def started(folder: Path) -> subprocess.Popen[str]:
    (folder / "endless.py").write_text(ENDLESS)
    command = [sys.executable, "-m", "regard", "run", "endless.py"]
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    log = folder / "runs"
    limit = time.monotonic() + 60
    while not list(log.glob("[!.]*/log.jsonl")) and time.monotonic() < limit and process.poll() is None:
        time.sleep(0.02)
    time.sleep(0.2)
    return process


@pytest.mark.slow
@pytest.mark.parametrize("attempt", range(3))
def test_kill_9_while_it_measures_loses_nothing_that_was_measured(tmp_path: Path, attempt: int) -> None:
    process = started(tmp_path)
    time.sleep(random.Random(attempt).random() * 0.3)
    process.kill()
    process.communicate()
    (run,) = Store(tmp_path / "runs").runs()
    values = [one.value for one in run.measured]
    assert run.state == "interrupted" and len(values) > 10 and values == list(range(len(values)))


@pytest.mark.slow
@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_with_its_status_a_word_and_a_report(tmp_path: Path, number: int, status: int) -> None:
    process = started(tmp_path)
    process.send_signal(number)
    out, err = process.communicate(timeout=60)
    (run,) = Store(tmp_path / "runs").runs()
    assert (process.returncode, run.state) == (status, "stopped") and "Traceback" not in out + err
    assert "not settled" in out and f"regard run endless.py --resume {run.id}" in out
    assert (run.path / "report.html").is_file()
