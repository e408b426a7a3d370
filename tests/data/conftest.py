"""A real server that misbehaves on demand, and a machine that knows no data and no index of its own."""

import hashlib
import os
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from regard.data.fetch.catalogue import Entry
from regard.data.fetch.origin import Address, File
from regard.data.fetch.web import Patience

Answer = Callable[["Handler"], None]


class Handler(BaseHTTPRequestHandler):
    """Answers a path with what the test planned for it; the last plan stays."""

    protocol_version = "HTTP/1.1"
    server: "Server"

    def do_GET(self) -> None:
        self.server.asked.append((self.path, dict(self.headers)))
        plan = self.server.plans.get(self.path, [Server.status(404)])
        answer = plan.pop(0) if len(plan) > 1 else plan[0]
        self.close_connection = True
        answer(self)

    def start(self, code: int, length: int | None, **headers: str) -> None:
        self.send_response(code)
        if length is not None:
            self.send_header("Content-Length", str(length))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()

    @property
    def offset(self) -> int:
        return int(self.headers.get("Range", "bytes=0-").removeprefix("bytes=").rstrip("-"))

    def log_message(self, format: str, *args: object) -> None: ...


class Server(ThreadingHTTPServer):
    """The plans by path, and what was asked."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.plans: dict[str, list[Answer]] = {}
        self.asked: list[tuple[str, dict[str, str]]] = []
        self.over = threading.Event()

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self.server_port}"

    def plan(self, path: str, *answers: Answer) -> str:
        self.plans[path] = list(answers)
        return f"http://{self.host}{path}"

    @staticmethod
    def status(code: int) -> Answer:
        return lambda handler: handler.start(code, 0)

    @staticmethod
    def send(
        body: bytes, *, upto: int | None = None, ranges: bool = True, length: int | None = None
    ) -> Answer:
        """The body, cut off at `upto`, from the offset asked for where the server knows ranges."""

        def answer(handler: Handler) -> None:
            first = handler.offset if ranges else 0
            extra = {"Content_Range": f"bytes {first}-{len(body) - 1}/{len(body)}"} if first else {}
            handler.start(206 if first else 200, len(body) - first, **extra)
            handler.wfile.write(body[first:upto])

        return answer

    @staticmethod
    def redirect(to: str) -> Answer:
        return lambda handler: handler.start(302, 0, Location=to)

    @staticmethod
    def hang(body: bytes = b"") -> Answer:
        """Some bytes, then silence."""

        def answer(handler: Handler) -> None:
            if body:
                handler.start(200, 10**6)
                handler.wfile.write(body)
                handler.wfile.flush()
            handler.server.over.wait(20)

        return answer

    @staticmethod
    def trickle(body: bytes) -> Answer:
        """A byte now and then: never silent for long, never done."""

        def answer(handler: Handler) -> None:
            handler.start(200, len(body))
            for byte in body:
                if handler.server.over.wait(0.05):
                    return
                handler.wfile.write(bytes([byte]))

        return answer


def known(body: bytes, *urls: str, name: str = "tales", path: str = "some/tales.txt") -> Entry:
    """A dataset of these bytes at those addresses."""
    file = File(path=path, sha256=hashlib.sha256(body).hexdigest(), size=len(body))
    origins = tuple(Address(url) for url in urls)
    return Entry(name=name, what="tales for a test", licence="none", file=file, origins=origins)


@pytest.fixture
def haste() -> Patience:
    """For a server on this machine: no pause between attempts, yet silence enough that busy cores are not taken for it."""
    return Patience(silence=20.0, whole=60.0, attempts=3, pause=0.001)


@pytest.fixture(name="known")
def _known() -> Callable[..., Entry]:
    return known


@pytest.fixture
def server() -> Iterator[Server]:
    with Server() as made:
        thread = threading.Thread(target=made.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield made
        made.over.set()
        made.shutdown()
        thread.join()


@pytest.fixture
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache, no folder given, and the cache's place."""
    cache = tmp_path / "cache"
    monkeypatch.setenv("REGARD_CACHE", str(cache))
    monkeypatch.delenv("REGARD_DATA", raising=False)
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    return cache


@pytest.fixture
def unconfigured(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """A pip that knows no index but the one a test sets; nothing listens on port 9 of this machine."""
    for name in ("PIP_EXTRA_INDEX_URL", "PIP_FIND_LINKS", "PIP_NO_INDEX", "PIP_CERT"):
        monkeypatch.delenv(name, raising=False)
    # To pip the null device means: no file at all, not even the machine's.
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple")
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    return monkeypatch
