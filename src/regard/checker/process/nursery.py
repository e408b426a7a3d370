"""A process that has torch loaded and forks the processes of checks: for many files torch is loaded once.

Forked or started anew, such a process is the same: a session and a folder of its own, the same few variables,
limits and token. Where nothing can be forked, and when the nursery is gone, each is started anew.
"""

import ctypes
import json
import os
import select
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict
from typing import IO, Any

from regard.checker.process.limits import TOKEN, ProcessLimits, environment

_NUMBER = struct.Struct("i")
MESSAGE = 1 << 16
"The most bytes of one request."
MANY = 1 << 10
"Streams that the nursery may hold open beyond those of a new process."
PATIENCE = 90.0
"Seconds for torch to be loaded and a process forked."


class Forked:
    """A process that the nursery forked, as `subprocess.Popen` speaks of one."""

    def __init__(self, pid: int, streams: tuple[IO[bytes], IO[bytes], IO[bytes]], ended: int) -> None:
        self.pid = pid
        self.stdin, self.stdout, self.stderr = streams
        self._ended = ended
        self.returncode: int | None = None

    def __del__(self) -> None:
        os.close(self._ended)

    def poll(self) -> int | None:
        """How it ended; None while it lives."""
        return self._look(0)

    def wait(self, timeout: float | None = None) -> int:
        """How it ended, once it has."""
        code = self._look(timeout)
        if code is None:
            raise subprocess.TimeoutExpired("a forked process", timeout or 0.0)
        return code

    def kill(self) -> None:
        """End it, if it still lives."""
        if self.poll() is None:
            with suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)

    def _look(self, timeout: float | None) -> int | None:
        if self.returncode is None and select.select([self._ended], [], [], timeout)[0]:
            told = os.read(self._ended, _NUMBER.size)
            # Without a word the nursery itself has ended, and nobody knows.
            self.returncode = _NUMBER.unpack(told)[0] if told else -signal.SIGKILL
        return self.returncode


class Nursery:
    """The line to the process that forks, which is started for the first check."""

    def __init__(self, inside: str) -> None:
        self.inside, self._turn = inside, threading.Lock()
        self._line: socket.socket | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._length = len(new_token())

    def _start(self) -> socket.socket:
        self._line, theirs = socket.socketpair()
        self._line.settimeout(PATIENCE)
        # Its own token is nobody's: what sweeps up after a check must not end it.
        variables = environment(tempfile.gettempdir(), "-" * self._length)
        self._process = subprocess.Popen(
            [sys.executable, "-m", "regard.checker.process.nursery", str(theirs.fileno()), self.inside],
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=variables,
            start_new_session=True,
        )
        theirs.close()
        return self._line

    def fork(self, limits: ProcessLimits, folder: str, token: str) -> Forked | None:
        """A new process for a check; None where the nursery is gone."""
        if len(token) != self._length:
            return None
        request = {"limits": asdict(limits), "folder": folder, "token": token}
        pipes = [os.pipe() for _ in range(4)]
        ours = [pipes[0][1], *(pipe[0] for pipe in pipes[1:])]
        theirs = [pipes[0][0], *(pipe[1] for pipe in pipes[1:])]
        try:
            with self._turn:
                line = self._line or self._start()
                socket.send_fds(line, [json.dumps(request).encode()], theirs)
                told = line.recv(_NUMBER.size)
        except OSError:
            told = b""
        finally:
            for end in theirs:
                os.close(end)
        if len(told) < _NUMBER.size:
            for end in ours:
                os.close(end)
            return None
        streams = (
            os.fdopen(ours[0], "wb", buffering=0),
            os.fdopen(ours[1], "rb", buffering=0),
            os.fdopen(ours[2], "rb", buffering=0),
        )
        return Forked(_NUMBER.unpack(told)[0], streams, ours[3])

    def close(self) -> None:
        """End it: its line is closed, and it hears that."""
        if self._line and self._process:
            self._line.close()
            self._process.wait()


_opened: list[Nursery] = []


@contextmanager
def nursery(inside: str) -> Iterator[None]:
    """While it lasts, checks are forked where that can be done."""
    if not hasattr(os, "fork"):
        yield
        return
    _opened.append(Nursery(inside))
    try:
        yield
    finally:
        _opened.pop().close()


def fork(inside: str, limits: ProcessLimits, folder: str, token: str) -> Forked | None:
    """A process from the nursery that is open; None where there is none."""
    if not _opened or _opened[-1].inside != inside:
        return None
    return _opened[-1].fork(limits, folder, token)


def new_token() -> str:
    """A word by which all processes of one check are known."""
    return f"{os.getpid()}-{os.urandom(8).hex()}"


def main() -> None:
    """Load torch, then fork whenever asked, and tell how each process ended, until the line is closed."""
    line = socket.socket(fileno=int(sys.argv[1]))
    from regard.checker.process import child

    inside = child.loaded(sys.argv[2])
    heard, bell = os.pipe()
    os.set_blocking(bell, False)
    os.set_blocking(heard, False)
    signal.set_wakeup_fd(bell, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    ends: dict[int, int] = {}
    while True:
        ready = select.select([line, heard], [], [])[0]
        if heard in ready:
            os.read(heard, 1 << 10)
            _tell_ended(ends)
        if line in ready:
            words, streams, _, _ = socket.recv_fds(line, MESSAGE, 4)
            if not words:
                os._exit(0)
            *three, ended = streams
            pid = os.fork()
            if pid == 0:
                _begin(json.loads(words), three, inside)
            ends[pid] = ended
            for stream in three:
                os.close(stream)
            line.sendall(_NUMBER.pack(pid))


def _tell_ended(ends: dict[int, int]) -> None:
    for pid, end in list(ends.items()):
        gone, status = os.waitpid(pid, os.WNOHANG)
        if gone:
            with suppress(BrokenPipeError):
                os.write(end, _NUMBER.pack(os.waitstatus_to_exitcode(status)))
            os.close(end)
            del ends[pid]


def _begin(request: dict[str, Any], streams: list[int], inside: Any) -> None:
    """In the new process: become what one that is started anew would be, and never return."""
    from regard.checker.process import child

    try:
        os.setsid()
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        for place, stream in enumerate(streams):
            os.dup2(stream, place)
        os.closerange(3, max(streams) + MANY)
        os.chdir(request["folder"])
        _rename(request["token"])
        os.environ |= environment(request["folder"], request["token"])
        tempfile.tempdir = None
        child.live(ProcessLimits(**request["limits"]), lambda: inside)
    except BaseException as error:
        sys.excepthook(type(error), error, error.__traceback__)
    finally:
        os._exit(1)


def _rename(token: str) -> None:
    """Write the token over the nursery's own where the system shows a process's variables to others."""
    libc = ctypes.CDLL(None)
    libc.getenv.restype = ctypes.c_void_p
    place = libc.getenv(TOKEN.encode())
    ctypes.memmove(place, token.encode(), len(token))


if __name__ == "__main__":
    main()
