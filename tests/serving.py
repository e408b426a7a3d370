"""A real server on a free port, in a thread, with runs that were really made; and a client for it."""

import asyncio
import json
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from regard import errors
from regard.claims import Claim
from regard.lab.events import Metric, PairedMetric, ProgressEvent, TableEvent, TextEvent
from regard.lab.experiment import Context, Experiment
from regard.lab.runner import run
from regard.lab.store.run import Run
from regard.lab.store.runs import Store
from regard.web.bundle import Bundled
from regard.web.server import ServerAddress, listen, server
from regard.web.services import Services
from regard.web.static import static_files

SOURCE = Path(errors.__file__)
"A file that imports nothing: a run's fingerprint is soon taken."
TAGS = ("img src=x onerror=", "svg onload=", "body onload=", "iframe src=javascript:", "details open ontoggle=",
        "video><source onerror=", "input autofocus onfocus=", "marquee onstart=", "object data=javascript:", "math href=javascript:")  # fmt: skip
ENDINGS = (
    "",
    "'\"><",
    "</script><",
    "--><",
    "]]><",
    "</style><",
    "</textarea><",
    "</title><",
    "{{7*7}}<",
    "\\u003c<",
)
HOSTILE = [
    f"{end or '<'}{tag}alert({n})>"
    for n, (tag, end) in enumerate((tag, end) for tag in TAGS for end in ENDINGS)
]
"A hundred texts that a careless page would run."
PLACEHOLDER = "<!doctype html><title>lab</title><p>the front end stands here"


@dataclass(frozen=True)
class Reply:
    status: int
    headers: dict[str, str]
    body: bytes

    def json(self) -> dict[str, Any]:
        return json.loads(self.body)


@dataclass
class Client:
    """A reader of one server; says who it is as it is told."""

    address: ServerAddress
    headers: dict[str, str] = field(default_factory=dict)

    @property
    def base(self) -> str:
        return f"http://127.0.0.1:{self.address.port}"

    @property
    def good(self) -> dict[str, str]:
        return {"authorization": f"Bearer {self.address.token}", "origin": self.base}

    def ask(
        self,
        method: str,
        path: str,
        body: Any = None,
        headers: dict[str, str] | None = None,
        wait: float = 60,
    ) -> Reply:
        data = None if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
        sent = dict(self.good if headers is None else headers)
        if data is not None:
            sent.setdefault("content-type", "application/json")
        request = urllib.request.Request(self.base + path, data, sent, method=method)
        opener = urllib.request.build_opener(NoRedirect)
        try:
            with opener.open(request, timeout=wait) as found:
                return Reply(found.status, {k.lower(): v for k, v in found.headers.items()}, found.read())
        except urllib.error.HTTPError as error:
            with error:
                return Reply(error.code, {k.lower(): v for k, v in error.headers.items()}, error.read())

    def get(self, path: str) -> dict[str, Any]:
        reply = self.ask("GET", path)
        assert reply.status == 200, reply.body[:500]
        return reply.json()

    def post(self, path: str, body: Any = None) -> Reply:
        return self.ask("POST", path, {} if body is None else body)

    def events(self, method: str, path: str, body: Any = None) -> list[dict[str, Any]]:
        reply = self.ask(method, path, body)
        assert reply.status == 200, reply.body[:500]
        assert reply.headers["content-type"].startswith("text/event-stream")
        return told(reply.body)


class NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *args: Any) -> None:
        return None


def told(stream: bytes) -> list[dict[str, Any]]:
    """The documents of a stream of events."""
    return [json.loads(line[6:]) for line in stream.decode().splitlines() if line.startswith("data: ")]


def heights(settings: Any, context: Context) -> Iterator[Any]:
    yield ProgressEvent("measuring", 0.5)
    for seed in range(3):
        yield Metric("height", 1.5 + 0.01 * seed, seed)
        for step in range(5):
            yield Metric("curve", step**2 + seed, seed, {"step": step})
    yield PairedMetric("gain", ("new", "old"), {0: 2.0, 1: 3.0}, {0: 1.0, 1: 2.01})
    yield TableEvent("sizes", ("name", "size"), [("a <b>", 1), ("c", float("nan"))], "Sizes of things.")
    yield TextEvent("a sample", "to be <or> not")


def made(store: Store, name: str = "heights", **words: Any) -> Run:
    """A run that was really made."""
    experiment = Experiment(
        name=name,
        question=words.pop("question", "How high is it?"),
        claims=words.pop("claims", (Claim("height", low=1.4, high=1.6, why="as built", source="the plan"),)),
        run=words.pop("measure", heights),
        **{one: words.pop(one) for one in ("method", "see", "correction") if one in words},
    )
    preset = words.pop("preset", experiment.presets["quick"])
    return run(experiment, preset, store, source=SOURCE, preset="quick", **words)


class Running:
    """A server in a thread."""

    def __init__(self, store: Store, static: Path, bundled: Bundled) -> None:
        self.address, self.store = listen(0), store
        self.services: Services | None = None
        self._files, self._bundled = static, bundled
        self._ready = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()), daemon=True)
        self._thread.start()
        assert self._ready.wait(20)

    async def _serve(self) -> None:
        self.services = Services(self.store, self._bundled, static_files(self._files))
        self.server = server(self.services, self.address)
        self.server.install_signal_handlers = lambda: None  # type: ignore[method-assign]
        self._ready.set()
        await self.server.serve(sockets=[self.address.listening])

    def close(self) -> None:
        self.server.should_exit = True
        self._thread.join(20)
        assert not self._thread.is_alive()
