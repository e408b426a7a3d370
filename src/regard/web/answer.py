"""Answers: a document as JSON, a file of the front end, a stream of server-sent events."""

import asyncio
import json
from collections.abc import AsyncGenerator, Mapping
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from regard.lab.documents.plain import plain
from regard.web.refusal import Refusal
from regard.web.static import StaticFile


def encoded(document: Mapping[str, Any]) -> bytes:
    """A document as bytes; what is not finite is told by a word.

    >>> encoded({"value": float("nan")})
    b'{"value":"nan"}'
    """
    return json.dumps(plain(document), allow_nan=False, separators=(",", ":")).encode()


def as_json(document: Mapping[str, Any] | bytes, status: int = 200) -> Response:
    """A document."""
    content = document if isinstance(document, bytes) else encoded(document)
    return Response(content, status, media_type="application/json")


def as_file(file: StaticFile, request: Request) -> Response:
    """A file of the front end; not again, where the browser has it."""
    headers = {"etag": file.tag, "cache-control": "no-cache"}
    if request.headers.get("if-none-match") == file.tag:
        return Response(status_code=304, headers=headers)
    return Response(file.content, headers=headers | {"content-type": file.kind})


class EventsResponse(Response):
    """A stream of events, which ends when it is told, or when nobody listens any more.

    Nothing is sent before the first event is there: a refusal until then is an answer of its own.
    """

    def __init__(self, events: AsyncGenerator[bytes, None]) -> None:
        super().__init__(media_type="text/event-stream")
        self.events = events
        del self.headers["content-length"]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        sending = asyncio.ensure_future(self._send(send))
        gone = asyncio.ensure_future(_gone(receive))
        try:
            await asyncio.wait({sending, gone}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            gone.cancel()
            if not sending.done():
                sending.cancel()
            await asyncio.wait({sending, gone})
        if not sending.cancelled():
            sending.result()

    async def _send(self, send: Send) -> None:
        try:
            part: bytes | None = await anext(self.events, None)
            await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
            while part is not None:
                await send({"type": "http.response.body", "body": part, "more_body": True})
                try:
                    part = await anext(self.events, None)
                except Refusal as refusal:
                    last = event(refusal.document())
                    await send({"type": "http.response.body", "body": last, "more_body": True})
                    part = None
            await send({"type": "http.response.body", "body": b""})
        finally:
            await self.events.aclose()


async def _gone(receive: Receive) -> None:
    """Returns when the reader has gone away."""
    while (await receive())["type"] != "http.disconnect":
        pass


def event(document: Mapping[str, Any], id: str = "") -> bytes:
    """A document as an event, with the id from which a reader can go on.

    >>> event({"kind": "state"}, "7")
    b'id: 7\\ndata: {"kind":"state"}\\n\\n'
    """
    head = f"id: {id}\n".encode() if id else b""
    return head + b"data: " + encoded(document) + b"\n\n"


BEAT = b": still here\n\n"
"What is sent now and then, so that a reader who went away is noticed."
