"""Executor over processes of this machine; each takes orders through a pipe and is replaced when it dies."""

import multiprocessing
import os
import signal
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess

from regard.lab.fanout.executor import Answered, LostWorker, News
from regard.lab.fanout.order import carry_out
from regard.lab.fanout.parcel import BYTES


@dataclass(eq=False)
class _Worker:
    process: SpawnProcess
    pipe: Connection
    ticket: int | None = None

    def end(self) -> None:
        """Kill the process with all that it has started."""
        with suppress(ProcessLookupError, PermissionError):
            if hasattr(os, "killpg") and self.process.pid:
                os.killpg(self.process.pid, signal.SIGKILL)
        self.process.kill()
        self.process.join()
        self.pipe.close()


class ProcessExecutor:
    """So many processes, begun when they are first needed."""

    def __init__(self, count: int, threads: int) -> None:
        self.count, self.threads = count, threads
        self._workers: list[_Worker] = []

    def room(self) -> int:
        return self.count - sum(one.ticket is not None for one in self._workers)

    def submit(self, ticket: int, order: str) -> str:
        idle = [one for one in self._workers if one.ticket is None]
        worker = idle[0] if idle else self._begin()
        worker.ticket = ticket
        # A worker that died while idle is found out by `wait`.
        with suppress(OSError):
            worker.pipe.send_bytes(order.encode())
        return f"process {worker.process.pid}"

    def wait(self, seconds: float) -> list[News]:
        busy = {one.pipe: one for one in self._workers if one.ticket is not None}
        ready = wait([*busy, *(one.process.sentinel for one in busy.values())], seconds)
        return [self._news(one) for pipe, one in busy.items() if {pipe, one.process.sentinel} & set(ready)]

    def close(self) -> None:
        for one in self._workers:
            one.end()
        self._workers.clear()

    def _begin(self) -> _Worker:
        spawn = multiprocessing.get_context("spawn")
        ours, theirs = spawn.Pipe()
        process = spawn.Process(target=serve, args=(theirs, self.threads), name="regard worker")
        process.start()
        theirs.close()
        self._workers.append(_Worker(process, ours))
        return self._workers[-1]

    def _news(self, worker: _Worker) -> News:
        assert worker.ticket is not None
        ticket, worker.ticket = worker.ticket, None
        try:
            return Answered(ticket, worker.pipe.recv_bytes(2 * BYTES))
        except (EOFError, OSError):
            self._workers.remove(worker)
            worker.end()
            return LostWorker(ticket, f"its process ended with code {worker.process.exitcode}")


def serve(pipe: Connection, threads: int) -> None:
    """A worker's life: an order, its answer, and again, until whoever asks is gone."""
    import torch

    if hasattr(os, "setsid"):
        os.setsid()  # Ctrl-C is the head's to hear, which ends this process and those that it starts
    os.dup2(2, 1)  # what an experiment prints must not come between the head's own lines
    torch.set_num_threads(threads)
    with suppress(EOFError, BrokenPipeError, ConnectionResetError):
        while True:
            pipe.send_bytes(carry_out(pipe.recv_bytes().decode()))
