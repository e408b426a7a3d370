"""Live events (server-sent): a run as its log grows, its progress; whether the lab has changed."""

import asyncio
import json
from collections.abc import AsyncGenerator, Callable
from contextlib import contextmanager, suppress
from functools import lru_cache
from pathlib import Path
from typing import Any

from regard.lab.store.index import RunLine
from regard.lab.store.run import LOG
from regard.lab.store.writer import PROGRESS
from regard.web.answer import BEAT, event
from regard.web.refusal import Refusal

STREAMS = 8
"Streams at once."
PAUSE, QUIET = 0.5, 15.0
"Seconds between two looks, and after how many of silence a beat is sent."
CHUNK = 1 << 20
"Bytes of a log that are read at a look."
FIELDS = {"metric": ("name", "seed", "at", "value"), "text": ("name", "text"), "figure": ("name", "caption")}
KINDS = {"metric": "points", "text": "text", "figure": "figure"}


class Streams:
    """How many listen; the ninth is refused."""

    def __init__(self) -> None:
        self.count = 0
        self.closing = asyncio.Event()

    @contextmanager
    def place(self) -> Any:
        """A place among those who listen."""
        if self.count >= STREAMS:
            got = f"{STREAMS} streams are open"
            raise Refusal(429, "too many pages listen", got, "close another page of this lab")
        self.count += 1
        try:
            yield
        finally:
            self.count -= 1

    async def pause(self, seconds: float = PAUSE) -> bool:
        """Wait; whether the server goes on."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self.closing.wait(), seconds)
        return not self.closing.is_set()


async def lab_events(streams: Streams, lines: Callable[[], Any]) -> AsyncGenerator[bytes, None]:
    """A word whenever runs appear, end, or are removed."""
    with streams.place():
        before, silent = None, 0.0
        while True:
            now = await asyncio.to_thread(lines)
            silent += PAUSE
            if now != before:
                before, silent = now, 0.0
                yield event({"kind": "lab-change"})
            elif silent >= QUIET:
                silent = 0.0
                yield BEAT
            if not await streams.pause():
                return


async def run_events(
    streams: Streams, find: Callable[[], RunLine], since: int
) -> AsyncGenerator[bytes, None]:
    """What a run has measured and said after byte `since` of its log, what it does, and its state."""
    with streams.place():
        path = (await asyncio.to_thread(find)).path
        state, doing, at, silent = "", "", since, 0.0
        while True:
            line, (events, at, more), progress = await asyncio.to_thread(_looked, find, path, at)
            if progress and progress != doing:
                doing = progress
                events.append(event({"kind": "progress", **json.loads(progress)}))
            if line.state != state and not more:
                state = line.state
                events.append(event({"kind": "state", "state": state}, str(at)))
            silent = 0.0 if events else silent + PAUSE
            if silent >= QUIET:
                events, silent = [BEAT], 0.0
            if events:
                yield b"".join(events)
            if (state and state != "running") or not (more or await streams.pause()):
                return


def _looked(
    find: Callable[[], RunLine], path: Path, at: int
) -> tuple[RunLine, tuple[list[bytes], int, bool], str]:
    """The run's line, what its log has after a byte, and what it does now."""
    return find(), _grown(path, at), _progress(path)


def _grown(path: Path, at: int) -> tuple[list[bytes], int, bool]:
    """The events of the whole lines after a byte of a log, where they end, and whether there are more."""
    with suppress(OSError), open(path / LOG, "rb") as log:
        log.seek(at)
        data = log.read(CHUNK)
        whole = data[: data.rfind(b"\n") + 1]
        told = _told(whole, at)
        return [told] if told else [], at + len(whole), len(data) == CHUNK and bool(whole)
    return [], at, False


@lru_cache(maxsize=16)
def _told(whole: bytes, at: int) -> bytes:
    """The events of whole lines that begin at a byte; made once for all who listen to the run."""
    events = []
    for line in whole.splitlines(keepends=True):
        at += len(line)
        with suppress(ValueError, KeyError, TypeError):
            told = json.loads(line)
            if told["kind"] in FIELDS:
                fields = {name: told[name] for name in FIELDS[told["kind"]]}
                events.append(event({"kind": KINDS[told["kind"]], **fields}, str(at)))
    return b"".join(events)


def _progress(path: Path) -> str:
    """What the run does, if it says so."""
    try:
        told = json.loads((path / PROGRESS).read_text(encoding="utf-8"))
        return json.dumps({"what": str(told["what"]), "share": float(told["share"])})
    except (OSError, ValueError, KeyError, TypeError):
        return ""
