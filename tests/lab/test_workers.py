"""Workers with one thread each, and torch as it was afterwards."""

import os
import signal
import subprocess
import sys
import threading
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pytest
import torch

from regard.errors import RegardError
from regard.lab.workers import one_thread_each, processes, shared_work
from regard.training import ProcessGroup


@pytest.fixture(params=[1, 2])
def threads(request):
    before = torch.get_num_threads()
    torch.set_num_threads(request.param)
    yield request.param
    torch.set_num_threads(before)


def test_as_many_work_at_a_time_as_torch_had_threads(threads: int) -> None:
    everyone = threading.Barrier(threads, timeout=20)

    def work(_: int) -> int:
        everyone.wait()
        return torch.get_num_threads()

    with one_thread_each() as pool:
        assert list(pool.map(work, range(2 * threads))) == [1] * 2 * threads
        assert torch.get_num_threads() == 1
    assert torch.get_num_threads() == threads


@pytest.mark.usefixtures("threads")
def test_on_a_gpu_one_works_at_a_time() -> None:
    with one_thread_each("cuda") as pool:
        assert len(set(pool.map(lambda _: threading.get_ident(), range(20)))) == 1
    done = list(shared_work([threading.get_ident] * 20, Played(0, 1), "cuda"))
    assert len(set(done)) == 1


@pytest.mark.usefixtures("threads")
def test_what_has_not_begun_is_cancelled_when_the_block_is_left_early() -> None:
    before, go = torch.get_num_threads(), threading.Event()
    with suppress(KeyError), one_thread_each() as pool:
        tasks = [pool.submit(go.wait, 20) for _ in range(before + 3)]
        threading.Timer(0.2, go.set).start()
        raise KeyError
    assert [task.cancelled() for task in tasks] == [False] * before + [True] * 3
    assert torch.get_num_threads() == before


@dataclass(frozen=True)
class Played(ProcessGroup):
    """A process whose others are played by the test."""

    def gather(self, words: str) -> list[str]:
        """What the others say, which is their rank, and what this one does in its place."""
        return [words if rank == self.rank else str(rank) for rank in range(self.world)]


@pytest.mark.parametrize("rank", [0, 1, 2])
def test_each_process_does_its_share_and_all_have_all_results_in_order(rank: int) -> None:
    done: list[int] = []

    def piece(number: int):
        return lambda: done.append(number) or [number, number / 3]

    found = list(shared_work([piece(number) for number in range(8)], Played(rank, 3)))
    mine = range(rank, 8, 3)
    assert sorted(done) == list(mine)
    assert found == [[number, number / 3] if number in mine else number % 3 for number in range(8)]


@pytest.mark.slow
def test_processes_are_made_ready_with_one_thread_and_leave_ctrl_c_to_who_asked() -> None:
    """By functions that a process finds whatever the tests are run by."""
    with processes(1, os.umask, 0o27) as pool:
        assert pool.submit(os.umask, 0).result() == 0o27
        assert pool.submit(torch.get_num_threads).result() == 1
        assert pool.submit(signal.getsignal, signal.SIGINT).result() is signal.SIG_IGN


@pytest.mark.slow
def test_a_process_that_dies_ends_the_work_in_three_lines() -> None:
    with pytest.raises(RegardError) as caught, processes(1, os.umask, 0o27) as pool:
        pool.submit(os._exit, 1).result()
    assert str(caught.value) == (
        "a process that shares the work has died\n  got: it was killed, or the system ended it for want of memory\n"
        "  fix: make room and run it again"
    )


BARE = """
import os
from regard.errors import RegardError
from regard.lab.workers import processes

with processes(2, os.umask, 0o27) as pool:
    print(list(pool.map(abs, [-1, -2])))
"""


def ran(folder: Path, text: str) -> subprocess.CompletedProcess[str]:
    (folder / "script.py").write_text(text)
    return subprocess.run(
        [sys.executable, "script.py"], cwd=folder, capture_output=True, text=True, timeout=120, check=False
    )


@pytest.mark.slow
def test_a_script_without_a_main_guard_ends_in_three_lines(tmp_path: Path) -> None:
    done = ran(tmp_path, BARE)
    assert done.returncode == 1 and done.stdout == ""
    # The script has no `except`: its own traceback ends with the three lines, and no process adds one.
    assert done.stderr.count("Traceback") == 2 and done.stderr.endswith(
        "RegardError: the processes that share the work cannot start\n"
        f"  got: {tmp_path / 'script.py'}: each of them runs it from its first line and would start processes again\n"
        "  fix: put what the script does under: if __name__ == '__main__':\n"
    )


@pytest.mark.slow
def test_a_script_with_a_main_guard_works(tmp_path: Path) -> None:
    guarded = BARE.replace("with", "if __name__ == '__main__':\n  with").replace("    print", "      print")
    done = ran(tmp_path, guarded)
    assert (done.returncode, done.stdout, done.stderr) == (0, "[1, 2]\n", "")
