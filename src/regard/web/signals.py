"""Signals to processes that asyncio has started."""

import os
import signal
from asyncio.subprocess import Process
from contextlib import suppress


def interrupt(process: Process) -> None:
    """What Ctrl-C does, to a process that has not ended."""
    _send(process, signal.SIGINT)


def end(process: Process) -> None:
    """End a process at once."""
    if os.name == "posix":
        _send(process, signal.SIGKILL)
    elif process.returncode is None:
        process.kill()


def _send(process: Process, number: signal.Signals) -> None:
    """Not by `process.send_signal`: that looks whether the process has ended and, if so, takes its exit code
    away from asyncio, which then reports another.
    """
    if process.returncode is not None:
        return
    with suppress(ProcessLookupError):
        if os.name == "posix":
            os.kill(process.pid, number)
        else:
            process.send_signal(number)
