"""Worker threads and processes for small trainings: too small to share a step, they take a thread each."""

import multiprocessing
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from multiprocessing.pool import Pool
from typing import Any

import torch


@contextmanager
def one_thread_each() -> Iterator[ThreadPoolExecutor]:
    """As many workers as torch may use threads; until they are done torch uses one in each of them.

    They share torch's random numbers: draw what a training needs before it is submitted. Where the block is
    left early, what has not begun is cancelled.

    >>> with one_thread_each() as pool:
    ...     list(pool.map(lambda x: torch.get_num_threads() * x, [1, 2, 3]))
    [1, 2, 3]
    """
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    pool = ThreadPoolExecutor(threads, initializer=torch.set_num_threads, initargs=(1,))
    try:
        yield pool
    finally:
        pool.shutdown(cancel_futures=True)
        torch.set_num_threads(threads)


@contextmanager
def processes(count: int, ready: Callable[..., None], *given: Any) -> Iterator[Pool]:
    """So many processes of one thread each, begun by `ready(*given)`: for trainings that draw random numbers.

    Give arrays rather than tensors: those would travel as open files, and of these there are too few.
    """
    with multiprocessing.get_context("spawn").Pool(count, _begin, (ready, given)) as pool:
        yield pool


def _begin(ready: Callable[..., None], given: tuple[Any, ...]) -> None:
    # The process that asks decides what Ctrl-C means, and ends this one.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    torch.set_num_threads(1)
    ready(*given)
