"""Authentication of every request, in one place: Host, Origin, token; and the headers of every answer."""

import json
import secrets
from collections.abc import Iterable
from hmac import compare_digest
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qs

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from regard.web.refusal import Refusal

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; font-src 'self'; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"What a page of ours may load and do: its own files and documents, and nothing inline."
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
    "cache-control": "no-store",
}
"Of every answer, unless it brings a stricter one of its own."
METHODS = ("GET", "HEAD", "POST")
LONGEST = 16_384
"Bytes of all headers of a request."


def new_token() -> str:
    """A token that cannot be guessed."""
    return secrets.token_urlsafe(32)


class Gate:
    """Lets a request in if it comes from this machine's own page and brings the token.

    The Host must be ours, by which a foreign name that leads to this machine is refused; an Origin must be
    ours exactly, and is demanded of all that changes something; the token comes in a cookie or as a bearer.
    """

    def __init__(self, app: ASGIApp, *, token: str, port: int) -> None:
        self.app, self.token, self.port = app, token, port
        self.hosts = {f"127.0.0.1:{port}", f"localhost:{port}"}
        self.cookie = f"regard-{port}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            return await self.app(scope, receive, send)
        if scope["type"] != "http":  # there are no websockets here
            return await send({"type": "websocket.close", "code": 1008})
        try:
            given = self._admit(scope)
        except Refusal as refusal:
            return await _answer(send, scope, refusal.status, refusal.document())
        if given is not None:
            cookie = f"{self.cookie}={given}; Path=/; HttpOnly; SameSite=Strict"
            return await _send(send, 303, {"location": "/", "set-cookie": cookie}, b"")
        return await self.app(scope, receive, _with_headers(send))

    def _admit(self, scope: Scope) -> str | None:
        """Raise unless the request may pass; the token, where it came in the address."""
        headers = scope["headers"]
        if scope["method"] not in METHODS:
            raise Refusal(405, "no such method here", scope["method"], "use GET or POST")
        if sum(len(name) + len(value) for name, value in headers) > LONGEST:
            raise Refusal(431, "the headers are too long", f"more than {LONGEST} bytes", "clear the cookies")
        host = _one(headers, b"host")
        if host not in self.hosts:
            raise Refusal(
                403, "this address is not ours", f"Host: {host}", "open the address that regard serve printed"
            )
        self._require_origin(scope, host)
        asked = parse_qs(scope["query_string"].decode("latin-1"), max_num_fields=20).get("token", [""])
        if scope["path"] == "/" and scope["method"] == "GET" and self._right(asked[0]):
            return asked[0]
        if not any(self._right(one) for one in self._brought(headers)):
            raise Refusal(
                401,
                "this address needs its token",
                "no token, or another server's",
                "open the whole address that regard serve printed",
            )
        return None

    def _require_origin(self, scope: Scope, host: str) -> None:
        """An Origin is ours or the request is refused; without one, nothing may be changed."""
        origin = _one(scope["headers"], b"origin")
        reading = scope["method"] in ("GET", "HEAD")
        if (origin is None and reading) or origin == f"http://{host}":
            return
        raise Refusal(
            403, "this request comes from another page", f"Origin: {origin}", f"use the page at http://{host}"
        )

    def _brought(self, headers: Iterable[tuple[bytes, bytes]]) -> list[str]:
        """The tokens that a request brings: its cookie's, its bearer's."""
        found = []
        for text in _all(headers, b"cookie"):
            try:
                jar = SimpleCookie(text)
            except CookieError:
                continue
            if self.cookie in jar:
                found.append(jar[self.cookie].value)
        bearers = [one for one in _all(headers, b"authorization") if one.startswith("Bearer ")]
        return [*found, *(one.removeprefix("Bearer ").strip() for one in bearers)]

    def _right(self, given: str) -> bool:
        return compare_digest(given.encode(), self.token.encode())


def _all(headers: Iterable[tuple[bytes, bytes]], name: bytes) -> list[str]:
    return [value.decode("latin-1") for key, value in headers if key == name]


def _one(headers: Iterable[tuple[bytes, bytes]], name: bytes) -> str | None:
    """The value of a header that may come once; several are none of ours."""
    found = _all(headers, name)
    return found[0] if len(found) == 1 else ", ".join(found) if found else None


def _with_headers(send: Send) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            there = {name.lower() for name, _ in message["headers"]}
            more = [(name.encode(), value.encode()) for name, value in HEADERS.items()]
            message["headers"] = [*message["headers"], *(one for one in more if one[0] not in there)]
        await send(message)

    return sending


async def _answer(send: Send, scope: Scope, status: int, document: dict[str, object]) -> None:
    """A refusal: a document for programs, three plain lines for a person who opened an address."""
    if scope["path"].startswith("/api/"):
        body, kind = json.dumps(document).encode(), "application/json"
    else:
        lines = f"{document['what']}\n  got: {document['got']}\n  fix: {document['fix']}\n"
        body, kind = lines.encode(), "text/plain; charset=utf-8"
    await _send(send, status, {"content-type": kind}, b"" if scope["method"] == "HEAD" else body)


async def _send(send: Send, status: int, headers: dict[str, str], body: bytes) -> None:
    whole = HEADERS | headers | {"content-length": str(len(body))}
    pairs = [(name.encode(), value.encode("latin-1", "replace")) for name, value in whole.items()]
    await send({"type": "http.response.start", "status": status, "headers": pairs})
    await send({"type": "http.response.body", "body": body})
