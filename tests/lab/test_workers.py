"""Workers with one thread each, and torch as it was afterwards."""

import os
import signal
import threading
from contextlib import suppress

import pytest
import torch

from regard.lab.workers import one_thread_each, processes


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
def test_what_has_not_begun_is_cancelled_when_the_block_is_left_early() -> None:
    before, go = torch.get_num_threads(), threading.Event()
    with suppress(KeyError), one_thread_each() as pool:
        tasks = [pool.submit(go.wait, 20) for _ in range(before + 3)]
        threading.Timer(0.2, go.set).start()
        raise KeyError
    assert [task.cancelled() for task in tasks] == [False] * before + [True] * 3
    assert torch.get_num_threads() == before


def test_processes_are_made_ready_with_one_thread_and_leave_ctrl_c_to_who_asked() -> None:
    """By functions that a process finds whatever the tests are run by."""
    with processes(1, os.umask, 0o27) as pool:
        assert pool.apply(os.umask, (0,)) == 0o27
        assert pool.apply(torch.get_num_threads) == 1
        assert pool.apply(signal.getsignal, (signal.SIGINT,)) is signal.SIG_IGN
