"""Threads of torch during a fit: one where steps are so small that waiting costs more than sharing."""

from collections.abc import Iterator
from contextlib import contextmanager

import torch

TINY = 1 << 25
"Products of two numbers in the largest step, a millisecond of one core, below which one thread takes it."


@contextmanager
def suited(products: int) -> Iterator[None]:
    """As many threads as steps of so many products are worth; afterwards as many as before.

    Threads that share a small product spin while they wait for one another: beside other processes that takes
    many times the seconds of a single one.

    >>> before = torch.get_num_threads()
    >>> with suited(100 * 4 * 100):
    ...     torch.get_num_threads()
    1
    >>> torch.get_num_threads() == before
    True
    """
    threads = torch.get_num_threads()
    if products >= TINY or threads == 1:
        yield
        return
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)
