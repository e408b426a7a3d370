"""torchrun's restarts: a job finds the run that it began, and no other."""

import os
import platform
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from regard.errors import RegardError
from regard.lab.runner import StopRequest
from regard.lab.store import fingerprint
from regard.lab.store.job import NOTHING, begun, job, leave_job
from regard.lab.store.runs import Store
from regard.training import parallel


@pytest.fixture
def store(tmp_path: Path, monkeypatch) -> Store:
    for name in ("TORCHELASTIC_RUN_ID", "TORCHELASTIC_RESTART_COUNT"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(sys, "argv", ["regard", "train", "mine.txt"])
    return Store(tmp_path / "runs")


def record(store: Store, state: str = "", error: str = "", **request: str | None) -> str:
    """The name of a run that stands in a store; without a state nothing says how it ended."""
    source = Path(__file__)
    words = {"name": "train", "started": "2026-01-01T00:00:00.000000+00:00", "claims": []}
    words |= {"source": str(source), "code": fingerprint.code(source)}
    writer = store.create("train", "mine", words | request)
    if state:
        writer.finish(state=state, seconds=1.0, error=error, verdicts=[])
    writer.close()
    return writer.path.name


def found(store: Store) -> str | None:
    run = begun(store)
    return None if run is None else run.path.name


def test_without_torchrun_there_is_no_job(store: Store, monkeypatch) -> None:
    record(store)
    monkeypatch.setenv("TORCHELASTIC_RESTART_COUNT", "1")
    assert job() is None and begun(store) is None


def test_a_job_finds_its_newest_run_once_it_was_started_again(store: Store, monkeypatch) -> None:
    monkeypatch.setenv("TORCHELASTIC_RUN_ID", "mine")
    record(store)
    record(store, job="other")
    monkeypatch.setenv("TORCHELASTIC_RESTART_COUNT", "1")
    assert begun(store) is None
    record(store, job=job())
    newest = record(store, "finished", job=job())
    record(store, job="other")
    assert found(store) == newest
    monkeypatch.setenv("TORCHELASTIC_RESTART_COUNT", "0")
    assert begun(store) is None, "a second start of a finished job is a new one"


DEATHS = {"": True, "broken": True, "stopped by SIGTERM": True, "stopped by SIGINT": False}
DEATHS |= {"out of time": False, "without data": False, "finished": False}


@pytest.mark.parametrize("end", DEATHS)
def test_a_run_that_died_is_taken_up_where_this_machine_counts_no_restart(
    store: Store, monkeypatch, end: str
) -> None:
    """Over several machines the count is that of each; where a machine joins, nobody counts."""
    monkeypatch.setenv("TORCHELASTIC_RUN_ID", "mine")
    state, _, name = end.partition(" by ")
    stop = StopRequest()
    stop.signal = signal.Signals[name] if name else None
    record(store, job=job())
    newest = record(store, state, stop.reason if name else "", job=job())
    assert found(store) == (newest if DEATHS[end] else None)


def test_what_began_with_other_code_is_not_taken_up_by_a_first_start(store: Store, monkeypatch) -> None:
    monkeypatch.setenv("TORCHELASTIC_RUN_ID", "mine")
    record(store, job=job(), code={"regard": "another"})
    assert begun(store) is None
    record(store, job=job(), source="gone.py")
    assert begun(store) is None


def test_another_command_is_another_job(store: Store, monkeypatch) -> None:
    monkeypatch.setenv("TORCHELASTIC_RUN_ID", "mine")
    newest = record(store, job=job())
    assert found(store) == newest
    monkeypatch.setattr(sys, "argv", ["regard", "train", "mine.txt", "--steps", "7"])
    assert begun(store) is None


def test_the_first_process_decides_by_the_counts_of_all(store: Store, monkeypatch) -> None:
    monkeypatch.setenv("TORCHELASTIC_RUN_ID", "mine")
    newest = record(store, "finished", job=job())
    monkeypatch.setattr(parallel, "decided", lambda mine, decide: decide([mine, "0"]))
    assert begun(store) is None
    monkeypatch.setattr(parallel, "decided", lambda mine, decide: decide([mine, "1"]))
    assert found(store) == newest
    monkeypatch.setattr(parallel, "decided", lambda mine, decide: NOTHING)
    assert begun(store) is None


def test_a_run_that_only_the_first_process_sees_is_told(store: Store, monkeypatch) -> None:
    monkeypatch.setenv("TORCHELASTIC_RUN_ID", "mine")
    monkeypatch.setattr(parallel, "decided", lambda mine, decide: "train-of-elsewhere")
    with pytest.raises(RegardError, match="share one folder of runs"):
        begun(store)


def test_a_job_without_a_name_has_that_of_its_parent(store: Store, monkeypatch) -> None:
    monkeypatch.setenv("TORCHELASTIC_RUN_ID", "none")
    assert str(job()).startswith(f"{platform.node()}-{os.getppid()} ")


def test_of_several_processes_the_first_goes_on_by_itself(monkeypatch) -> None:
    for first in (True, False):
        words = {
            "RANK": "0" if first else "1",
            "WORLD_SIZE": "2",
            "MASTER_PORT": "1",
            "TORCHELASTIC_RUN_ID": "x",
        }
        for name, word in words.items():
            monkeypatch.setenv(name, word)
        assert leave_job() is first and not set(words) & set(os.environ)
        with parallel.distributed() as group:
            assert group == parallel.ALONE
    assert job() is None and leave_job()


def agent(place: Path, port: int, number: int) -> subprocess.Popen:
    """One of two machines' torchrun, with a process of one and the same training."""
    words = ["--nnodes", "2", "--nproc-per-node", "1", "--max-restarts", "2", "--rdzv-backend", "c10d"]
    words += [
        "--rdzv-id",
        "mine",
        "--rdzv-endpoint",
        f"127.0.0.1:{port}",
        "-m",
        "regard",
        "train",
        "mine.txt",
    ]
    words += ["--size", "gpt-nano", "--steps", "60", "--tokenizer", "character", "--set", "batch=2"]
    environment = os.environ | {"OMP_NUM_THREADS": "1", "PYTHONPATH": os.pathsep.join(sys.path)}
    environment["REGARD_RUNS"] = str(place / "runs")
    with open(place / f"out{number}.txt", "w") as out:
        command = [sys.executable, "-m", "torch.distributed.run", *words]
        return subprocess.Popen(command, cwd=place, env=environment, stdout=out, stderr=out)


def worker(agents: list[subprocess.Popen], rank: int) -> int:
    """The process that has a rank, by its id."""
    for one in agents:
        for child in Path(f"/proc/{one.pid}/task/{one.pid}/children").read_text().split():
            if f"RANK={rank}".encode() in Path(f"/proc/{child}/environ").read_bytes().split(b"\0"):
                return int(child)
    raise AssertionError(f"no process of rank {rank}")


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="finds processes in /proc")
def test_where_a_process_of_another_machine_dies_the_run_goes_on(tmp_path: Path) -> None:
    """Two agents of torchrun: the one that keeps its process counts no restart."""
    (tmp_path / "mine.txt").write_text("What is all this? It is a text of one's own. " * 200)
    port = free_port()
    agents = [agent(tmp_path, port, number) for number in range(2)]
    try:
        limit = time.monotonic() + 60
        while not list(tmp_path.glob("runs/*/model/step-*.json")):
            assert time.monotonic() < limit and not any(one.poll() for one in agents)
            time.sleep(0.02)
        os.kill(worker(agents, 1), signal.SIGKILL)
        codes = [one.wait(timeout=90) for one in agents]
    finally:
        for one in agents:
            one.terminate()
    said = "".join((tmp_path / f"out{number}.txt").read_text() for number in range(2))
    assert codes == [0, 0], said
    (run,) = Store(tmp_path / "runs").runs()
    assert run.state == "finished"
    assert [one.name for one in run.events if getattr(one, "name", "") == "Taken up"] == ["Taken up"], said
