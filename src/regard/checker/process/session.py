"""Session with the child process: starts it, asks, watches, ends it."""

import json
import queue
import secrets
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import asdict
from typing import IO, Any, Protocol, runtime_checkable

import numpy as np

from regard.checker.process import wire
from regard.checker.process.limits import ProcessLimits, environment, members, resident, sweep, worked
from regard.checker.process.nursery import fork, new_token

INSIDE = "regard.checker.process.inside:Inside"
"What answers in the child: a module and its class."
PULSE = 0.1
"Seconds between two looks at what a running call takes."
STARVED = 3.0
"How many times its seconds a request may take on a busy machine, where it had a processor for less than half of them."


class Raised(Exception):
    """The person's code raised an exception: its kind, its words, and the person's own line."""

    def __init__(self, kind: str, words: str, line: int | None, text: str) -> None:
        super().__init__(f"{kind}: {words}")
        self.kind, self.words, self.line, self.text = kind, words, line, text
        self.given = ""
        "The sizes of what it was given, where that is known."


def sizes_of(values: list[Any], named: dict[str, Any]) -> str:
    """The shapes of the arrays of a call, in words.

    >>> sizes_of([np.ones((2, 7))], {"mask": np.ones((2, 1, 7)), "scale": None})
    '(2, 7), mask (2, 1, 7)'
    """
    plain = [str(np.shape(v)) for v in values if isinstance(v, np.ndarray)]
    return ", ".join(
        [*plain, *(f"{name} {np.shape(v)}" for name, v in named.items() if isinstance(v, np.ndarray))]
    )


class Lost(Exception):
    """The process is gone, and why: too slow, too large, ended by itself."""

    def __init__(self, slug: str, sentence: str) -> None:
        super().__init__(f"{slug}: {sentence}")
        self.slug, self.sentence = slug, sentence


def raised(told: dict[str, Any]) -> Raised | Lost:
    """What came of a request that failed: an exception of the person's code, or a package that is not there."""
    if told["kind"] != "NotInstalled":
        return Raised(**told)
    return Lost("not-installed", f"it uses {told['words']}, which is not installed")


@runtime_checkable
class Line(Protocol):
    """Whatever answers requests about a person's code."""

    def ask(self, verb: str, *values: Any, **named: Any) -> Any:
        """The result of one request; Raised or Lost otherwise."""
        ...


class Session:
    """One child process and its requests, in order.

    After the child is lost, the next request starts another and repeats what made its state, so that one fatal
    call costs one call.
    """

    STATE = ("load", "make", "cast", "mode", "set")
    DOUBTED = ("exited", "crashed", "closed-line")
    "Ways to be lost that may be the machine's doing: the first time, the same is asked once more."

    def __init__(self, limits: ProcessLimits = ProcessLimits(), inside: str = INSIDE) -> None:
        self.inside = inside
        self.limits, self.child, self.past, self.restarts = limits, None, list[tuple[str, tuple, dict]](), 0
        self.until: float | None = None
        self.doubted = False
        self.imports = 0.0
        "Seconds that the person's own file took to import."

    def __enter__(self) -> "Session":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def warm(self) -> None:
        """Start the child without waiting for it."""
        self.child = self.child or Child(self.limits, self.inside)

    def ask(self, verb: str, *values: Any, **named: Any) -> Any:
        """The result of one request; Raised or Lost otherwise."""
        if self.until is not None and time.monotonic() > self.until:
            raise Lost("out-of-time", f"the whole check took more than {self.limits.whole:.0f} s")
        if self.child is None or self.child.lost:
            self._again()
        try:
            result = self._do(verb, values, named)
        except Lost as loss:
            if not self._doubts(loss):
                raise
            self._again()
            result = self._do(verb, values, named)
        if verb == "load" and self.child:
            self.imports = self.child.took
        if verb in self.STATE:
            self.past.append((verb, values, named))
        if self.until is None and verb == "load":
            self.until = time.monotonic() + self.limits.whole
        return result

    def afresh(self) -> None:
        """Forget what was loaded: another file begins."""
        self.past.clear()
        self.until, self.restarts, self.doubted = None, 0, False

    def close(self) -> None:
        """End the child and whatever it started."""
        if self.child:
            self.child.end()

    def _doubts(self, loss: Lost) -> bool:
        """Whether the code may be innocent: none of it has run, or this is the first loss of the kind."""
        if loss.slug == "not-started":
            return self.restarts == 0
        first, self.doubted = not self.doubted, self.doubted or loss.slug in self.DOUBTED
        return first and loss.slug in self.DOUBTED

    def _again(self) -> None:
        if self.restarts > 3:
            raise Lost("too-many-crashes", "the process was lost four times")
        self.restarts += self.child is not None
        self.close()
        self.child = Child(self.limits, self.inside)
        for verb, values, named in self.past:
            self._do(verb, values, named)

    def _do(self, verb: str, values: tuple, named: dict[str, Any]) -> Any:
        assert self.child
        return self.child.ask(verb, values, named, self.limits.load if verb == "load" else self.limits.call)


class Child:
    """One process: frames go in and out, its words are kept up to a limit, and it is ended as a group."""

    def __init__(self, limits: ProcessLimits, inside: str = INSIDE) -> None:
        self.limits, self.lost, self.ready, self.ended = limits, False, False, False
        self.took = 0.0
        "Seconds from the last request to its answer."
        self.token = new_token()
        self.folder = tempfile.mkdtemp(prefix="regard-check-")
        forked = fork(inside, limits, self.folder, self.token)
        self.process = forked or started(inside, limits, self.folder, self.token)
        self.frames: queue.Queue[Any] = queue.Queue()
        self.said = bytearray()
        assert self.process.stdin and self.process.stdout and self.process.stderr
        self._thread(self._listen, self.process.stdout)
        self.drained = self._thread(self._drain, self.process.stderr)

    def ask(self, verb: str, values: tuple, named: dict[str, Any], seconds: float) -> Any:
        """Send one request and wait for its answer, within the limits."""
        try:
            if not self.ready:
                self._start()
            assert self.process.stdin
            asked, key = time.monotonic(), secrets.token_hex(8)
            request = {"verb": verb, "values": list(values), "named": named, "key": key}
            try:
                self.process.stdin.write(wire.pack(request))
            except OSError:
                raise self._gone() from None
            reply = self._wait(
                seconds, {"load": "importing the file", "make": "the constructor"}.get(verb, "one call"), key
            )
            self.took = time.monotonic() - asked
        except Lost:
            self.lost = True
            self.end()
            raise
        if "raised" in reply:
            raise raised(reply["raised"])
        return reply["result"]

    def _start(self) -> None:
        try:
            self._wait(self.limits.start, "loading torch")
        except Lost as loss:
            self.drained.join(timeout=1)
            said = bytes(self.said).decode(errors="replace").strip().splitlines()
            words = f"{loss.sentence} before your file was looked at{': ' + said[-1][:200] if said else ''}"
            raise Lost("not-started", words) from None
        self.ready = True

    def end(self) -> None:
        """End the group and every stray process, and remove the folder."""
        if self.ended:
            return
        self.ended = self.lost = True
        sweep(self.process.pid, self.token)
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            if stream:
                stream.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _wait(self, seconds: float, what: str, key: str = "") -> dict[str, Any]:
        """The next reply; one without the key of the request was written by somebody else."""
        until, before = time.monotonic() + seconds, worked([self.process.pid])
        while True:
            try:
                reply = self.frames.get(timeout=PULSE)
            except queue.Empty:
                self._watch(until, seconds, what, before)
                continue
            if reply is None:
                raise self._gone()
            own = not isinstance(reply, dict) or reply.pop("key", "") == key
            if isinstance(reply, wire.MalformedFrame) or not _is_reply(reply) or not own:
                raise Lost("broken-answer", f"its process sent something that is no answer ({reply})"[:300])
            return reply

    def _watch(self, until: float, seconds: float, what: str, before: float) -> None:
        alive, late = members(self.token), time.monotonic() - until
        if late > 0 and (late > (STARVED - 1) * seconds or worked(alive) - before > seconds / 2):
            raise Lost("too-slow", f"{what} took more than {seconds:g} s")
        if len(alive) > self.limits.processes:
            raise Lost("too-many-processes", f"{what} started {len(alive) - 1} processes")
        if (size := resident(alive)) > self.limits.memory:
            raise Lost("too-much-memory", f"{what} took {size / 2**30:.1f} GB of memory")
        if self.process.poll() is not None and self.frames.empty():
            raise self._gone()

    def _gone(self) -> Lost:
        try:
            code = self.process.wait(timeout=1)
        except subprocess.TimeoutExpired:
            return Lost("closed-line", "its process closed the line to the checker")
        if code < 0:
            names = {
                6: "an abort",
                9: "a kill",
                11: "a segmentation fault",
                24: "the limit on processor time",
            }
            return Lost("crashed", f"its process was ended by {names.get(-code, f'signal {-code}')}")
        return Lost("exited", f"its process ended itself with status {code}")

    def _listen(self, stream: IO[bytes]) -> None:
        try:
            while True:
                self.frames.put(wire.read(stream.read))
        except wire.MalformedFrame as error:
            self.frames.put(error)
        except (EOFError, OSError, ValueError):
            self.frames.put(None)

    def _drain(self, stream: IO[bytes]) -> None:
        try:
            while part := stream.read(1 << 16):
                self.said += part[: max(0, self.limits.output - len(self.said))]
        except (OSError, ValueError):
            return

    @staticmethod
    def _thread(work: Callable[[IO[bytes]], None], stream: IO[bytes]) -> threading.Thread:
        thread = threading.Thread(target=work, args=(stream,), daemon=True)
        thread.start()
        return thread


def started(inside: str, limits: ProcessLimits, folder: str, token: str) -> subprocess.Popen[bytes]:
    """A process that is started anew, and loads torch."""
    return subprocess.Popen(
        [sys.executable, "-m", "regard.checker.process.child", json.dumps(asdict(limits)), inside],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=folder,
        env=environment(folder, token),
        start_new_session=True,
        bufsize=0,
    )


def _is_reply(reply: Any) -> bool:
    if not isinstance(reply, dict) or len(reply) != 1:
        return False
    raised = reply.get("raised")
    if raised is None:
        return "result" in reply
    line = isinstance(raised, dict) and raised.get("line")
    words = (
        all(isinstance(raised.get(name), str) for name in ("kind", "words", "text"))
        if isinstance(raised, dict)
        else False
    )
    return (
        words and (line is None or isinstance(line, int)) and set(raised) == {"kind", "words", "line", "text"}
    )
