"""The lab in the browser under load, beside a training. About 2 minutes.   regard bench web-load

A server is started over 1,000 runs of 10,000 points each (one log, linked into a thousand folders) and its
first answers are timed. Then fifty readers ask once a second and eight listen to a run that trains in a
process of its own, on one thread. The load is on and off in turn, so that the steps of one training are their
own peer. What the documents say is held to the runs before anything is timed.
"""

import gzip
import http.client
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from statistics import median, quantiles
from typing import Any

from regard.claims import Claim
from regard.lab.bench import BenchMetric, Comparison, Reading, ratio

READERS, LISTENERS, ROUNDS, SECONDS = 50, 8, 6, 8.0
RUNS, POINTS = 1000, 10_000
SHAPE = f"{READERS} readers at one request a second, {LISTENERS} live streams, a training on one thread"


@dataclass
class Served:
    """A server in a process of its own."""

    port: int
    token: str
    begun: float
    process: Any

    def ask(self, path: str, connection: http.client.HTTPConnection | None = None) -> tuple[int, bytes]:
        """Status and body; over a connection that stays, where one is given."""
        own = connection or http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        own.request("GET", path, headers={"authorization": f"Bearer {self.token}"})
        reply = own.getresponse()
        found = reply.status, reply.read()
        if connection is None:
            own.close()
        return found


def processor(process: Any) -> float:
    """Seconds of a processor that the server has used; its worker aside."""
    import psutil

    used = psutil.Process(process.pid).cpu_times()
    return used.user + used.system


@contextmanager
def served(root: Path) -> Iterator[Served]:
    """`regard serve` over a folder of runs."""
    words = [sys.executable, "-m", "regard", "serve", "--no-open", "--port", "0"]
    variables = os.environ | {"REGARD_RUNS": str(root), "OMP_NUM_THREADS": "1"}
    begun = time.perf_counter()
    process = subprocess.Popen(words, stdout=subprocess.PIPE, env=variables, text=True)
    try:
        assert process.stdout is not None
        address, _, token = process.stdout.readline().split()[-1].partition("/?token=")
        yield Served(int(address.rpartition(":")[2]), token, begun, process)
    finally:
        process.terminate()
        process.wait(30)


@dataclass
class Load:
    """Readers and listeners, and what they met."""

    server: Served
    paths: list[str]
    live: str
    on: threading.Event = field(default_factory=threading.Event)
    over: threading.Event = field(default_factory=threading.Event)
    seconds: list[float] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    heard: list[int] = field(default_factory=list)
    cost: float = 0.0
    "Seconds of a processor that the server used."

    def start(self) -> list[threading.Thread]:
        threads = [threading.Thread(target=self._read, args=(n,), daemon=True) for n in range(READERS)]
        threads += [threading.Thread(target=self._listen, daemon=True) for _ in range(LISTENERS)]
        for one in threads:
            one.start()
        return threads

    def _read(self, number: int) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=30)
        time.sleep(number / READERS)
        turn = number
        while not self.over.is_set():
            if not self.on.wait(0.2):
                continue
            begun, turn = time.perf_counter(), turn + 1
            try:
                status, _ = self.server.ask(self.paths[turn % len(self.paths)], connection)
                if status != 200:
                    self.errors.append(f"{self.paths[turn % len(self.paths)]}: {status}")
            except (OSError, http.client.HTTPException) as error:
                self.errors.append(repr(error))
            self.seconds.append(time.perf_counter() - begun)
            time.sleep(max(0.0, 1.0 - (time.perf_counter() - begun)))
        connection.close()

    def _listen(self) -> None:
        """A live stream while the load is on; events are counted."""
        while not self.over.is_set():
            if not self.on.wait(0.2):
                continue
            connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=30)
            with suppress(OSError, http.client.HTTPException):
                connection.request("GET", self.live, headers={"authorization": f"Bearer {self.server.token}"})
                reply, count = connection.getresponse(), 0
                if reply.status != 200:
                    self.errors.append(f"{self.live}: {reply.status}")
                while self.on.is_set() and not self.over.is_set() and (line := reply.readline()):
                    count += line.startswith(b"data: ")
                self.heard.append(count)
            connection.close()


def train(root: Path, seconds: float) -> None:
    """A run that trains a small GPT for so long and notes when each step ended."""
    import torch

    from regard import errors
    from regard.lab.events import Metric, ProgressEvent
    from regard.lab.experiment import Context, Experiment
    from regard.lab.runner import run
    from regard.lab.store.runs import Store
    from regard.models.gpt.config import GPTConfig
    from regard.models.gpt.model import GPT
    from regard.training import Plan, Training, cross_entropy

    torch.set_num_threads(1)

    def steps(settings: Any, context: Context) -> Iterator[Any]:
        model = GPT(GPTConfig(vocabulary=65, context=64, depth=4, heads=4, width=64))
        ids = torch.randint(65, (16, 65), generator=torch.Generator().manual_seed(0))
        end = time.monotonic() + seconds
        for step in Training(
            model, lambda index: (ids[:, :-1], ids[:, 1:]), cross_entropy, Plan(steps=10**6)
        ):
            yield Metric("loss", step.loss, 0, {"step": step.step})
            yield Metric("ended", time.monotonic(), 0, {"step": step.step})
            yield ProgressEvent("training", 1 - (end - time.monotonic()) / seconds)
            if time.monotonic() > end:
                return

    experiment = Experiment(name="load", question="How fast does it train?", run=steps)
    run(experiment, experiment.presets["quick"], Store(root), source=Path(errors.__file__), preset="quick")


def ends(root: Path) -> list[float]:
    """When each step of the training ended."""
    (log,) = root.glob("load-*/log.jsonl")
    lines = (json.loads(line) for line in log.read_text().splitlines())
    return [line["value"] for line in lines if line.get("name") == "ended"]


def under_load(root: Path) -> Iterator[BenchMetric]:
    """Reads, errors and the training's steps, with the load on and off in turn."""
    words = [sys.executable, __file__, str(root), str(2 * ROUNDS * SECONDS + 20)]
    process = subprocess.Popen(words, env=os.environ | {"OMP_NUM_THREADS": "1"})
    try:
        with served(root) as server:
            live = _wait_for_run(server)
            recorded = json.loads(server.ask("/api/runs")[1])["runs"][-1]["id"]
            document = json.loads(server.ask(f"/api/runs/{recorded}")[1])
            assert document["state"] == "finished" and document["numbers"], (
                "the documents are not those of the run"
            )
            json.loads(server.ask("/api/experiments/karate")[1])  # the worker has loaded torch
            paths = [
                "/api/lab",
                "/api/runs",
                f"/api/runs/{recorded}",
                f"/api/runs/{live}",
                "/api/models",
                "/api/graphs/karate",
            ]
            load = Load(server, paths, f"/api/runs/{live}/events")
            threads, phases, before = load.start(), [], processor(server.process)
            for _ in range(ROUNDS):
                for on in (False, True):
                    (load.on.set if on else load.on.clear)()
                    time.sleep(1.0)  # what was under way ends
                    begun = time.monotonic()
                    time.sleep(SECONDS - 1.0)
                    phases.append((on, begun, time.monotonic()))
            load.over.set()
            load.cost = processor(server.process) - before
            for one in threads:
                one.join(5)
    finally:
        process.terminate()
        process.wait(30)
    yield from _figures(load, phases, ends(root))


def _wait_for_run(server: Served) -> str:
    limit = time.monotonic() + 60
    while time.monotonic() < limit:
        runs = [one for one in json.loads(server.ask("/api/runs")[1])["runs"] if one["name"] == "load"]
        if runs and runs[0]["state"] == "running":
            return runs[0]["id"]
        time.sleep(0.2)
    raise AssertionError("the training did not start")


def _figures(
    load: Load, phases: list[tuple[bool, float, float]], ended: list[float]
) -> Iterator[BenchMetric]:
    reads = quantiles(load.seconds, n=20)
    p95 = Reading(reads[18], reads[9], max(load.seconds))
    wrong = "; ".join(dict.fromkeys(load.errors))[:200]
    yield BenchMetric(
        name=P95, value=p95, shapes=SHAPE, reason=f"{len(load.seconds):,} reads; median and largest beside it"
    )
    yield BenchMetric(
        name=ERRORS, value=Reading.of([float(len(load.errors))], "errors"), shapes=SHAPE, reason=wrong
    )
    each = Reading.of([load.cost / len(load.seconds)])
    yield BenchMetric(name="a read, of a processor, the streams included", value=each, shapes=SHAPE)
    yield BenchMetric(name=HEARD, value=Reading.of([float(sum(load.heard))], "events"), shapes=SHAPE)
    rates = {True: [], False: []}
    for on, begun, end in phases:
        inside = [b - a for a, b in pairwise(ended) if begun <= a and b <= end]
        rates[on].append(median(inside) if inside else float("nan"))
    yield BenchMetric(
        name=SLOWER,
        value=ratio(rates[True], rates[False]),
        ours=Reading.of(rates[True]),
        peer=Reading.of(rates[False]),
        shapes=SHAPE,
    )


def many(root: Path) -> None:
    """A thousand runs of ten thousand points: one that was made, and its log in a thousand folders."""
    from regard import errors
    from regard.files import write
    from regard.lab.events import Metric
    from regard.lab.experiment import Experiment
    from regard.lab.runner import run
    from regard.lab.store.run import ASKED, LOG, REQUEST, RESULT
    from regard.lab.store.runs import Store

    def points(settings: Any, context: Any) -> Iterator[Metric]:
        for step in range(POINTS):
            yield Metric("loss", 1 / (1 + step), 0, {"step": step})

    experiment = Experiment(name="many", question="How long is the list?", run=points)
    made = run(
        experiment, experiment.presets["quick"], Store(root), source=Path(errors.__file__), preset="quick"
    )
    for number in range(1, RUNS):
        folder = root / f"{made.id[:-6]}{number:06x}"
        folder.mkdir()
        day, second = divmod(number, 86_400)
        started = (
            f"2026-01-{1 + day:02d}T{second // 3600:02d}:{second // 60 % 60:02d}:{second % 60:02d}+00:00"
        )
        write(folder / REQUEST, ASKED.page(made.request | {"started": started}))
        os.link(made.path / LOG, folder / LOG)
        shutil.copy(made.path / RESULT, folder / RESULT)


def first_answers(root: Path) -> Iterator[BenchMetric]:
    """From the command to the first document, and the first list of all runs."""
    first, listed, opened, cost = [], [], [], []
    for _ in range(3):
        with served(root) as server:
            while True:
                with suppress(ConnectionError):
                    status, _ = server.ask("/api/models")
                    break
                time.sleep(0.01)
            first.append(time.perf_counter() - server.begun)
            assert status == 200
        with served(root) as server:
            while True:
                with suppress(ConnectionError):
                    server.ask("/")
                    break
                time.sleep(0.01)
            begun, before = time.perf_counter(), processor(server.process)
            found = json.loads(server.ask(f"/api/runs?limit={RUNS}")[1])
            listed.append(time.perf_counter() - begun)
            cost.append(processor(server.process) - before)
            assert len(found["runs"]) == RUNS and {one["state"] for one in found["runs"]} == {"finished"}
            begun = time.perf_counter()
            document = json.loads(server.ask(f"/api/runs/{found['runs'][0]['id']}")[1])
            opened.append(time.perf_counter() - begun)
            assert document["curves"][0]["series"][0]["points"] == POINTS
    sizes = f"{RUNS:,} runs of {POINTS:,} points"
    yield BenchMetric(name=FIRST, value=Reading.of(first), shapes="from the command to the list of models")
    yield BenchMetric(name=LISTED, value=Reading.of(listed), shapes=sizes)
    yield BenchMetric(name=f"{LISTED}, of a processor", value=Reading.of(cost), shapes=sizes)
    yield BenchMetric(name=OPENED, value=Reading.of(opened), shapes=f"one run of {POINTS:,} points")


def first_view(root: Path) -> Iterator[BenchMetric]:
    """How soon a browser paints the first view, and how much it is sent for it."""
    from regard.web.static import FOLDER

    sent = sum(len(gzip.compress(file.read_bytes())) for file in FOLDER.iterdir())
    yield BenchMetric(name=SENT, value=Reading.of([float(sent)], "bytes"), shapes="all files, each by gzip")
    program = shutil.which("chromium") or shutil.which("google-chrome")
    if program is None or find_spec("playwright") is None:
        yield BenchMetric(name=PAINTED, value=None, reason="no chromium, or no playwright to drive it")
        return
    from playwright.sync_api import sync_playwright

    painted = []
    with served(root) as server, sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=program, args=["--no-sandbox", "--disable-gpu"])
        for _ in range(4):
            page = browser.new_context().new_page()
            page.goto(f"http://127.0.0.1:{server.port}/?token={server.token}")
            page.locator(".experiment").first.wait_for()
            painted.append(
                page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime")
            )
            page.context.close()
        browser.close()
    told = "from the address to the first paint, by the browser's own clock; nothing kept from before"
    yield BenchMetric(name=PAINTED, value=Reading.of([one / 1000 for one in painted[1:]]), shapes=told)


def run() -> Iterator[BenchMetric]:
    """The lists of a new server first, then the first view, then the load."""
    with tempfile.TemporaryDirectory() as place:
        root = Path(place) / "many"
        many(root)
        yield from first_answers(root)
        yield from first_view(root)
        yield from under_load(Path(place) / "load")


P95, ERRORS, HEARD = "95 % of reads within", "reads that failed", "events that listeners heard"
SLOWER = "a training's step with the load beside one without"
PAINTED, SENT = "first view painted", "front end, compressed"
FIRST, LISTED, OPENED = "first document", "list of all runs", "document of a long run"

COMPARISON = Comparison(
    question="Does the lab in the browser stay quick under load, and leave a training beside it alone?",
    bars=(
        Claim(FIRST, high=2.0, why="a page that takes longer is not there at once"),
        Claim(LISTED, high=1.0, why="a list is looked at, not waited for"),
        Claim(PAINTED, high=1.0, why="what takes longer is felt as waiting"),
        Claim(SENT, high=300_000, why="it comes with the package, and into every page that is shared"),
        Claim(P95, high=0.2, why="what takes longer is felt as waiting"),
        Claim(ERRORS, high=0.0, why="reading never fails"),
        Claim(SLOWER, high=1.05, why="whoever watches a training must not slow it"),
    ),
    run=run,
    peers=("psutil",),
)

if __name__ == "__main__":
    train(Path(sys.argv[1]), float(sys.argv[2]))
