"""The worker process as the server sees it: asked by lines of JSON, one of a kind at a time, with a queue."""

import asyncio
import json
import os
import sys
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, asynccontextmanager, suppress
from typing import Any

from regard.web.refusal import Refusal
from regard.web.signals import end

QUEUE = 4
"Requests that wait while one is computed; the next is told to come back."
SECONDS = 30.0
"Wall time of a request, its waiting aside."
STARTING = 60.0
"Seconds that the process may take to load torch."
GRACE = 3.0
"Seconds in which a request that was called off must end, or the process is ended."
LINE = 1 << 26
"Bytes of the longest answer."
MODULE = "regard.web.worker.inside"


class Lane:
    """One request at a time, a few that wait, and a refusal for all others."""

    def __init__(self, what: str) -> None:
        self.what = what
        self._turn = asyncio.Lock()
        self._waiting = 0

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """Wait for one's turn, if the queue is not full."""
        if self._turn.locked() and self._waiting >= QUEUE:
            got = f"one that runs and {QUEUE} that wait"
            raise Refusal(429, f"the lab is busy {self.what}", got, "try again in some seconds")
        self._waiting += 1
        try:
            await self._turn.acquire()
        finally:
            self._waiting -= 1
        try:
            yield
        finally:
            self._turn.release()


class Link:
    """A process that was started, and who waits for an answer of it."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process
        self.answers: dict[int, asyncio.Queue[dict[str, Any]]] = {0: asyncio.Queue()}
        self.ready = False
        self.reading = asyncio.create_task(self._read())

    async def send(self, line: dict[str, Any]) -> None:
        """Hand a request over."""
        assert self.process.stdin is not None
        try:
            self.process.stdin.write(json.dumps(line).encode() + b"\n")
            await self.process.stdin.drain()
        except ConnectionError:
            raise gone() from None

    async def _read(self) -> None:
        """Hand each line to whom it answers; when the process has ended, tell all who wait."""
        assert self.process.stdout is not None
        with suppress(ValueError, ConnectionError):
            while line := await self.process.stdout.readline():
                answer = json.loads(line)
                self.ready = self.ready or "ready" in answer
                if answer["id"] in self.answers:
                    self.answers[answer["id"]].put_nowait(answer)
        end(self.process)  # one that says nothing more is of no use
        await self.process.wait()
        lost = gone()
        for queue in self.answers.values():
            queue.put_nowait({"refused": [lost.status, lost.what, lost.got, lost.fix]})

    async def close(self) -> None:
        """End the process."""
        end(self.process)
        await asyncio.wait([self.reading])


class ModelWorker:
    """Starts the process when it is first needed, and again after it has ended."""

    def __init__(self, roots: list[str]) -> None:
        self.roots = roots
        "The folders in which models lie: that of the runs, and that which comes with the package."
        self.lanes = {"speak": Lane("generating"), "look": Lane("computing")}
        self.link: Link | None = None
        self._number = 0
        self._starting = asyncio.Lock()
        self._closed = False

    async def ask(self, do: str, fields: dict[str, Any], seconds: float = SECONDS) -> dict[str, Any]:
        """One answer."""
        async with self.lanes["look"].turn(), aclosing(self._talk(do, fields, seconds)) as answers:
            found = [answer async for answer in answers]
        if not found:
            raise gone()
        return found[0]

    async def stream(
        self, do: str, fields: dict[str, Any], seconds: float = SECONDS
    ) -> AsyncGenerator[dict[str, Any], None]:
        """Answers as they come. Whoever stops listening calls the rest off."""
        async with self.lanes["speak"].turn(), aclosing(self._talk(do, fields, seconds)) as answers:
            async for answer in answers:
                yield answer

    async def _talk(
        self, do: str, fields: dict[str, Any], seconds: float
    ) -> AsyncGenerator[dict[str, Any], None]:
        link = await self.start()
        self._number += 1
        number, queue = self._number, asyncio.Queue[dict[str, Any]]()
        link.answers[number] = queue
        deadline = asyncio.get_running_loop().time() + seconds
        ended = False
        try:
            await link.send({"id": number, "do": do, "fields": fields})
            while True:
                try:
                    async with asyncio.timeout_at(deadline):
                        answer = await queue.get()
                except TimeoutError:
                    raise Refusal(
                        503, "this took too long", f"more than {seconds:.0f} s", "ask for less"
                    ) from None
                ended = "answer" not in answer
                if "refused" in answer:
                    raise Refusal(*answer["refused"])
                if ended:
                    return
                yield answer["answer"]
        finally:
            if not ended:
                await asyncio.shield(_call_off(link, number, queue))
            link.answers.pop(number, None)

    async def start(self) -> Link:
        """A process that runs and is ready."""
        async with self._starting:
            if self._closed:
                raise gone()
            if self.link is None or self.link.reading.done():
                self.link = await self._begin()
            link = self.link
            if not link.ready:
                try:
                    async with asyncio.timeout(STARTING):
                        told = await link.answers[0].get()
                except TimeoutError:
                    await link.close()
                    raise gone() from None
                if "ready" not in told:
                    raise gone()
            return link

    async def _begin(self) -> Link:
        environment = os.environ | {"OMP_NUM_THREADS": os.environ.get("OMP_NUM_THREADS", "1")}
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            MODULE,
            *self.roots,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            limit=LINE,
            env=environment,
            start_new_session=True,
        )
        return Link(process)

    async def stop(self) -> None:
        """End the process for good: those who wait are refused, and it is not started again."""
        self._closed = True
        if self.link is not None:
            await self.link.close()


async def _call_off(link: Link, number: int, queue: asyncio.Queue[dict[str, Any]]) -> None:
    """Have the process end a request; end the process where it does not."""
    with suppress(Refusal, TimeoutError):
        await link.send({"id": number, "do": "cancel"})
        async with asyncio.timeout(GRACE):
            while "answer" in await queue.get():
                pass
            return
    await link.close()


def gone() -> Refusal:
    """The refusal where the process has ended."""
    return Refusal(503, "the process that computes has ended", "no answer", "try again; it is started anew")
