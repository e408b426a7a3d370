"""The worker from outside: answers, a queue, a limit, and a process that is started again after its end."""

import asyncio
import os
import signal
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from regard.lab.store.models import stored_models
from regard.web.bundle import FOLDER, Bundled
from regard.web.refusal import Refusal
from regard.web.worker import process
from regard.web.worker.process import QUEUE, Lane, ModelWorker

PLACE = {"path": str(stored_models(Bundled().models)[0].path), "kind": "text", "name": "shakespeare"}
OPERATOR = {
    "similarity": "dot",
    "support": "full",
    "position": "none",
    "normalise": "softmax",
    "n": 3,
    "seed": 0,
}
SPEAK = {
    "place": PLACE,
    "text": "ROMEO:",
    "temperature": 1.0,
    "top_k": 0,
    "top_p": None,
    "min_p": None,
    "seed": 0,
}


def played(play: Callable[[ModelWorker], Awaitable[Any]]) -> Any:
    async def go() -> Any:
        worker = ModelWorker([str(FOLDER)])
        try:
            return await play(worker)
        finally:
            await worker.stop()

    return asyncio.run(go())


@pytest.mark.slow
def test_it_answers_streams_refuses_and_comes_back() -> None:
    async def play(worker: ModelWorker) -> None:
        assert (await worker.ask("operator", OPERATOR))["backend"]
        tokens = [step async for step in worker.stream("generate", SPEAK | {"tokens": 5})]
        assert [step["kind"] for step in tokens] == ["token"] * 5 + ["end"]
        again = [step async for step in worker.stream("generate", SPEAK | {"tokens": 5})]
        assert tokens == again  # the same seed
        with pytest.raises(Refusal) as error:
            await worker.ask("next", SPEAK | {"text": "\u4e16\u754c"})
        assert error.value.status == 400 and "none of these characters" in error.value.what
        with pytest.raises(Refusal) as error:
            await worker.ask("next", SPEAK | {"place": PLACE | {"path": "/etc"}})
        assert error.value.status == 403
        # Between the tokens of a long generation what is quick is answered.
        stream = worker.stream("generate", SPEAK | {"tokens": 512})
        await anext(stream)
        assert (await worker.ask("operator", OPERATOR))["kind"] == "operator"
        await stream.aclose()
        assert worker.link is not None
        first = worker.link.process.pid
        assert (await worker.ask("operator", OPERATOR))["kind"] == "operator"
        assert worker.link.process.pid == first  # called off, not killed
        os.kill(first, signal.SIGSTOP)  # it cannot answer before it is killed
        waiting = asyncio.create_task(worker.ask("operator", OPERATOR))
        await asyncio.sleep(0.1)
        os.kill(first, signal.SIGKILL)
        with pytest.raises(Refusal) as error:
            await waiting
        assert error.value.status == 503
        await asyncio.wait([worker.link.reading])
        assert (await worker.ask("operator", OPERATOR))["kind"] == "operator"
        assert worker.link.process.pid != first

    played(play)


STUBBORN = """
import json, sys, time
print(json.dumps({"id": 0, "ready": True}), flush=True)
for line in sys.stdin:
    time.sleep(3600)
"""


def test_what_takes_too_long_is_ended(tmp_path: Path, monkeypatch) -> None:
    (tmp_path / "stubborn.py").write_text(STUBBORN)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setattr(process, "MODULE", "stubborn")
    monkeypatch.setattr(process, "GRACE", 0.2)

    async def play(worker: ModelWorker) -> int:
        with pytest.raises(Refusal) as error:
            await worker.ask("operator", OPERATOR, seconds=0.2)
        assert (error.value.status, error.value.what) == (503, "this took too long")
        assert worker.link is not None and worker.link.reading.done()  # it did not listen, and is gone
        return 1

    assert played(play)


def test_one_runs_four_wait_and_the_next_is_told_to_come_back() -> None:
    async def play() -> list[str]:
        lane, told, free = Lane("generating"), [], asyncio.Event()

        async def one(name: str) -> None:
            async with lane.turn():
                told.append(name)
                await free.wait()

        tasks = [asyncio.create_task(one(str(n))) for n in range(1 + QUEUE)]
        await asyncio.sleep(0.01)
        with pytest.raises(Refusal) as error:
            await one("late")
        assert (error.value.status, error.value.what) == (429, "the lab is busy generating")
        tasks[2].cancel()  # whoever leaves gives a place in the queue free
        await asyncio.sleep(0.01)
        tasks.append(asyncio.create_task(one("new")))
        await asyncio.sleep(0.01)
        free.set()
        await asyncio.gather(*tasks, return_exceptions=True)
        return told

    assert asyncio.run(play()) == ["0", "1", "3", "4", "new"]


def test_a_process_that_cannot_start_is_told(monkeypatch) -> None:
    monkeypatch.setattr(process, "MODULE", "regard.no_such_module")
    with pytest.raises(Refusal) as error:
        played(lambda worker: worker.ask("operator", OPERATOR))
    assert error.value.status == 503
