"""A real Ray of this machine with two workers, one of which is killed in the middle."""

import json
import os
import secrets
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path

import pytest

from regard.lab.fanout.cluster import ADDRESS

needs_ray = pytest.mark.skipif(
    find_spec("ray") is None, reason="Ray is not installed: pip install 'regard[ray]'"
)
SOURCE = Path(__file__).parents[3] / "src"


def regard(folder: Path, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    around = {name: value for name, value in os.environ.items() if name != ADDRESS}
    around |= {"PYTHONPATH": str(SOURCE), "REGARD_RUNS": str(folder / "runs")} | environment
    return subprocess.run(
        [sys.executable, "-m", "regard", *words],
        cwd=folder, env=around, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip


@needs_ray
@pytest.mark.slow
def test_two_workers_of_ray_make_every_run_once_although_one_is_killed(coin: Path, tmp_path: Path) -> None:
    killed = tmp_path / "killed"
    done = regard(
        tmp_path, "run", "coin.py", "--seeds", "6", "--on", "ray:2", "--set", f"killed={killed}", "--json"
    )
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert killed.is_dir() and told["workers_lost"] == 1 and told["missing"] == {}
    assert sorted(told["seeds"]) == ["0", "1", "2", "3", "4", "5"]
    folders = [path.name for path in (tmp_path / "runs").iterdir()]
    assert sorted(folders) == sorted(told["seeds"].values()), "a run is there twice, or half"
    seeds = [
        json.loads((tmp_path / "runs" / one / "run.json").read_text())["body"]["seed"] for one in folders
    ]
    assert sorted(seeds) == list(range(6))


@needs_ray
@pytest.mark.slow
def test_the_book_is_made_of_runs_of_ray(tmp_path: Path) -> None:
    names = ["theory-positions", "theory-similarity-axioms"]
    done = regard(tmp_path, "book", "--on", "ray:2", "--json", *names)
    assert done.returncode == 0, done.stderr
    made = json.loads(done.stdout)
    assert [one["name"] for one in made["runs"]] == names and made["missing"] == []
    assert {one["state"] for one in made["runs"]} == {"finished"}
    assert len(list((tmp_path / "runs").glob("theory-*"))) == 2
    pages = Path(tmp_path, made["book"]).parent / "experiments"
    assert all((pages / f"{name}.html").is_file() for name in names)


def descendants(process: int) -> list[int]:
    """The processes that a process has started, and those that they have."""
    found = []
    with suppress(OSError):  # of one that has just ended
        for task in Path(f"/proc/{process}/task").glob("*/children"):
            for child in task.read_text().split():
                found += [int(child), *descendants(int(child))]
    return found


@contextmanager
def cluster(**environment: str) -> Iterator[tuple[str, subprocess.Popen]]:
    """A Ray of one CPU that `ray start --head` begins; of all Ray's processes only its own are ended."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port = one.getsockname()[1]
    # Ray's sockets have paths of at most 107 characters.
    with tempfile.TemporaryDirectory(prefix="ray", ignore_cleanup_errors=True) as folder:
        words = ["--head", "--block", f"--port={port}", "--node-ip-address=127.0.0.1", "--num-cpus=1"]
        words += ["--include-dashboard=false", "--disable-usage-stats", f"--temp-dir={folder}"]
        out = Path(folder, "out.txt")
        with out.open("w") as file:
            head = subprocess.Popen(
                [sys.executable, "-m", "ray.scripts.scripts", "start", *words],
                env=os.environ | environment, stdout=file, stderr=file,
            )  # fmt: skip
        try:
            limit = time.monotonic() + 90
            while "Ray runtime started" not in out.read_text():
                assert head.poll() is None and time.monotonic() < limit, out.read_text()
                time.sleep(0.1)
            yield f"127.0.0.1:{port}", head
        finally:
            started = descendants(head.pid)
            head.terminate()
            head.wait(timeout=60)
            for one in started:
                with suppress(ProcessLookupError):
                    os.kill(one, signal.SIGKILL)


@needs_ray
@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="finds processes in /proc")
def test_a_cluster_that_runs_is_used_and_left_running(coin: Path, tmp_path: Path) -> None:
    # The last word has it listen on this machine alone, and look for the head there.
    secret = {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32)}
    secret["RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"] = "0"
    with cluster(**secret) as (address, head):
        words = ("run", "coin.py", "--seeds", "2", "--on", "ray", "--json")
        done = regard(tmp_path, *words, RAY_ADDRESS=address, **secret)
        assert done.returncode == 0, done.stderr
        assert sorted(json.loads(done.stdout)["seeds"]) == ["0", "1"]
        assert len(list((tmp_path / "runs").iterdir())) == 2
        assert head.poll() is None


@needs_ray
@pytest.mark.slow
@pytest.mark.parametrize("address", ["nonsense:no-port", "127.0.0.1:{closed}"])
def test_a_cluster_that_is_not_there_is_told_at_once(coin: Path, tmp_path: Path, address: str) -> None:
    with socket.socket() as closed:  # bound, and nobody listens
        closed.bind(("127.0.0.1", 0))
        there = address.format(closed=closed.getsockname()[1])
        done = regard(tmp_path, "run", "coin.py", "--seeds", "2", "--on", "ray", RAY_ADDRESS=there)
    assert done.returncode == 2
    what, got, fix = done.stderr.splitlines()[-3:]
    assert what == "there is no Ray cluster to be reached" and there in got
    assert fix.startswith("  fix: begin one with 'ray start --head', set RAY_AUTH_MODE=token")


@pytest.mark.slow
def test_without_ray_it_says_how_to_get_it(coin: Path, tmp_path: Path) -> None:
    (tmp_path / "ray").mkdir()
    (tmp_path / "ray" / "__init__.py").write_text("raise ImportError(\"No module named 'ray'\")")
    done = regard(tmp_path, "run", "coin.py", "--seeds", "2", "--on", "ray")
    assert (done.returncode, done.stdout.splitlines()[-1]) == (2, "2 to run on ray, 0 finished before")
    assert done.stderr == (
        "--on ray needs Ray\n  got: No module named 'ray'\n  fix: pip install 'regard[ray]'\n"
    )
