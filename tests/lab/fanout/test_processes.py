"""Processes: one is killed and its run is redone; all end with the executor."""

import os
import time
from pathlib import Path

import pytest

from regard.lab import registry
from regard.lab.fanout.dispatcher import Dispatcher
from regard.lab.fanout.processes import ProcessExecutor
from regard.lab.fanout.seeds import SeedPlan
from regard.lab.fanout.spread import spread
from regard.lab.settings import change


def gone(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


def over(pid: int) -> bool:
    """Whether a process of nobody's is gone, or waits to be buried by the system's first one."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except FileNotFoundError:
        return True


@pytest.mark.slow
def test_a_killed_workers_run_is_redone_and_a_broken_one_is_told(coin, store, tmp_path, capfd) -> None:
    experiment, source = registry.find(str(coin))
    words = [f"killed={tmp_path / 'killed'}"]
    plan = SeedPlan(
        experiment=experiment, source=source, settings=change(experiment.presets["quick"], words),
        preset="quick", changes=words, seeds=[1, 2, 3, 7],
    )  # fmt: skip
    workers: set[str] = set()

    def watch(dispatcher: Dispatcher) -> None:
        workers.update(worker for _, worker in dispatcher.running.values())

    tally = spread(plan.missing(store), store, "2", watch)
    summary = plan.merged(store, tally.problems)
    assert (tally.landed, tally.lost, tally.again) == (3, 1, 0)
    assert sorted(summary.runs) == [1, 2, 3] and len(store.runs()) == 4
    assert summary.missing[7].startswith("the experiment stopped with an error, ValueError")
    # The third may have started too late to get a run.
    assert len(workers) in (2, 3) and all(gone(int(name.split()[-1])) for name in workers)
    assert "printed by an experiment" not in capfd.readouterr().out


@pytest.mark.slow
def test_closing_ends_a_busy_worker_and_what_it_started(tmp_path, store) -> None:
    """The experiment starts a process of its own, as Cora's does, and sleeps."""
    file = tmp_path / "sleeper.py"
    file.write_text(
        "import subprocess, sys, time\n"
        "from pathlib import Path\n"
        "from regard.lab.events import Metric\n"
        "from regard.lab.experiment import Experiment\n"
        "def run(settings, context):\n"
        "    child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])\n"
        f"    Path({str(tmp_path / 'child.part')!r}).write_text(str(child.pid))\n"
        f"    Path({str(tmp_path / 'child.part')!r}).rename({str(tmp_path / 'child')!r})\n"
        "    time.sleep(600)\n"
        "    yield Metric('never', 1.0)\n"
        "EXPERIMENT = Experiment(question='How long?', run=run)\n"
    )
    experiment, source = registry.find(str(file))
    plan = SeedPlan(
        experiment=experiment, source=source, settings=experiment.presets["quick"],
        preset="quick", changes=[], seeds=[0],
    )  # fmt: skip
    executor = ProcessExecutor(1, threads=1)
    worker = int(executor.submit(0, plan.missing(store)[0].order).split()[-1])
    assert executor.room() == 0
    limit = time.monotonic() + 60
    while not (tmp_path / "child").exists() and time.monotonic() < limit:
        assert executor.wait(0.1) == []
    child = int((tmp_path / "child").read_text())
    executor.close()
    assert gone(worker)
    while not over(child) and time.monotonic() < limit:
        time.sleep(0.01)
    assert over(child)
