"""Where runs are fanned out to: the words after `--on`, and the executor that they stand for."""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager

from regard.errors import RegardError
from regard.lab.fanout.executor import Executor

WORDS = re.compile(r"(?P<kind>processes|ray)?:?(?P<count>(?<![a-z])[1-9]\d{0,3})?")


def parse(word: str) -> tuple[str, int | None]:
    """The kind of executor and the number of its workers, where one is given.

    >>> parse("2"), parse("processes"), parse("ray:8")
    (('processes', 2), ('processes', None), ('ray', 8))
    """
    found = WORDS.fullmatch(word)
    if not word or not found or word.endswith(":") or word.startswith(":"):
        raise RegardError(
            "runs go to processes of this machine or to a Ray cluster",
            f"--on {word}",
            "--on 4, --on processes, --on ray, or --on ray:4 for at most four workers",
        )
    count = found["count"]
    return found["kind"] or "processes", int(count) if count else None


def cores() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextmanager
def opened(word: str) -> Iterator[Executor]:
    """The executor for what stands after `--on`; its workers end with the block, however it is left."""
    kind, count = parse(word)
    if kind == "ray":
        from regard.lab.fanout.cluster import RayExecutor

        executor: Executor = RayExecutor(count)
    else:
        from regard.lab.fanout.processes import ProcessExecutor

        count = count or cores()
        executor = ProcessExecutor(count, threads=max(1, cores() // count))
    try:
        yield executor
    finally:
        executor.close()
