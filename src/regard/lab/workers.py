"""Worker threads and processes for small trainings: too small to share a step, they take a thread each."""

import json
import multiprocessing
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing.synchronize import Event
from typing import Any

import torch

from regard.errors import RegardError
from regard.training import ProcessGroup


@contextmanager
def one_thread_each(device: str = "cpu") -> Iterator[ThreadPoolExecutor]:
    """As many workers as torch may use threads; until they are done torch uses one in each of them.

    On a GPU there is one: its trainings are captured, during which no other thread may ask anything of it.

    They share torch's random numbers: draw what a training needs before it is submitted. Where the block is
    left early, what has not begun is cancelled.

    >>> with one_thread_each() as pool:
    ...     list(pool.map(lambda x: torch.get_num_threads() * x, [1, 2, 3]))
    [1, 2, 3]
    """
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    pool = ThreadPoolExecutor(
        threads if device == "cpu" else 1, initializer=torch.set_num_threads, initargs=(1,)
    )
    try:
        yield pool
    finally:
        pool.shutdown(cancel_futures=True)
        torch.set_num_threads(threads)


def shared_work(
    pieces: Sequence[Callable[[], Any]], group: ProcessGroup, device: str = "cpu"
) -> Iterator[Any]:
    """What each piece of work gives, in order and as JSON has it, in every process of a group (torchrun).

    Process r of w does the pieces r, r + w, r + 2w, …, as many at a time as `one_thread_each` has workers.
    All of them must go through it together.

    >>> list(shared_work([lambda: 1, lambda: (2.5, "two")], ProcessGroup()))
    [1, [2.5, 'two']]
    """
    with one_thread_each(device) as pool:
        mine = iter([pool.submit(piece) for piece in pieces[group.rank :: group.world]])
        for first in range(0, len(pieces), group.world):
            task = next(mine, None)
            said = group.gather("" if task is None else json.dumps(task.result()))
            yield from map(json.loads, said[: len(pieces) - first])


@contextmanager
def processes(count: int, ready: Callable[..., None], *given: Any) -> Iterator[ProcessPoolExecutor]:
    """So many processes of one thread each, begun by `ready(*given)`: for trainings that draw random numbers.

    Give arrays rather than tensors: those would travel as open files, and of these there are too few.
    A process that dies ends the whole with an error, as does a script that every process would run again.
    """
    if getattr(multiprocessing.current_process(), "_inheriting", False):
        # A process that is being started reads the script that started it, which asks for processes again.
        raise SystemExit(1)
    spawn = multiprocessing.get_context("spawn")
    begun = spawn.Event()
    pool = ProcessPoolExecutor(count, spawn, _begin, (begun, ready, given))
    try:
        yield pool
    except BrokenProcessPool as error:
        raise (_died() if begun.is_set() else _never_began()) from error
    finally:
        pool.shutdown(cancel_futures=True)


def _begin(begun: Event, ready: Callable[..., None], given: tuple[Any, ...]) -> None:
    # The process that asks decides what Ctrl-C means, and ends this one.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    begun.set()
    torch.set_num_threads(1)
    ready(*given)


def _never_began() -> RegardError:
    script = getattr(sys.modules["__main__"], "__file__", None) or "a script"
    return RegardError(
        "the processes that share the work cannot start",
        f"{script}: each of them runs it from its first line and would start processes again",
        "put what the script does under: if __name__ == '__main__':",
    )


def _died() -> RegardError:
    return RegardError(
        "a process that shares the work has died",
        "it was killed, or the system ended it for want of memory",
        "make room and run it again",
    )
