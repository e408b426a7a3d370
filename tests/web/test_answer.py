"""Answers: JSON without NaN, files that are not sent twice, streams that end when nobody listens."""

import asyncio
import json
from collections.abc import AsyncGenerator
from typing import Any

import pytest

from regard.web.answer import EventsResponse, encoded, event
from regard.web.refusal import Refusal


def test_a_document_is_json_that_every_reader_takes() -> None:
    assert json.loads(encoded({"a": float("inf"), "b": "</script>"})) == {"a": "inf", "b": "</script>"}


def test_an_event_is_one_line_whatever_the_text() -> None:
    assert event({"text": "a\n\ndata: b\r"}).count(b"\n") == 2


async def played(events: AsyncGenerator[bytes, None], *, leave: bool = False) -> list[dict[str, Any]]:
    sent: list[dict[str, Any]] = []

    async def send(message: Any) -> None:
        sent.append(message)

    async def receive() -> dict[str, str]:
        if not leave:
            await asyncio.sleep(60)
        await asyncio.sleep(0.05)
        return {"type": "http.disconnect"}

    await asyncio.wait_for(EventsResponse(events)({"type": "http"}, receive, send), 5)
    return sent


def test_a_stream_ends_with_its_events() -> None:
    async def two() -> AsyncGenerator[bytes, None]:
        yield b"one"
        yield b"two"

    sent = asyncio.run(played(two()))
    assert [one.get("body") for one in sent] == [None, b"one", b"two", b""]
    assert sent[0]["status"] == 200


def test_a_refusal_before_the_first_event_is_raised_and_one_after_it_is_an_event() -> None:
    async def never() -> AsyncGenerator[bytes, None]:
        raise Refusal(429, "busy", "5", "wait")
        yield b""

    async def late() -> AsyncGenerator[bytes, None]:
        yield b"one"
        raise Refusal(503, "too long", "30 s", "less")

    with pytest.raises(Refusal) as refusal:
        asyncio.run(played(never()))
    assert refusal.value.status == 429
    sent = asyncio.run(played(late()))
    assert b'"what":"too long"' in sent[2]["body"] and sent[-1]["body"] == b""


def test_whoever_leaves_ends_the_stream() -> None:
    closed = []

    async def endless() -> AsyncGenerator[bytes, None]:
        try:
            yield b"one"
            await asyncio.sleep(60)
        finally:
            closed.append(True)

    sent = asyncio.run(played(endless(), leave=True))
    assert closed == [True] and sent[1]["body"] == b"one"


def test_a_file_is_not_sent_twice(client) -> None:
    first = client.ask("GET", "/app.js")
    assert first.headers["content-type"] == "text/javascript; charset=utf-8"
    again = client.ask("GET", "/app.js", headers=client.good | {"if-none-match": first.headers["etag"]})
    assert (again.status, again.body) == (304, b"")
