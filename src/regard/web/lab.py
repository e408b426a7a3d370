"""The lab as documents: experiments, runs, comparisons and models, from the disk and without torch."""

import os
import platform
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from itertools import groupby
from pathlib import Path
from typing import Any, get_args

from regard.claims import State
from regard.lab.book.report import page
from regard.lab.book.svg import as_picture
from regard.lab.documents.comparison import comparison_document
from regard.lab.documents.plain import readable
from regard.lab.documents.run import run_document
from regard.lab.experiment import Chapter
from regard.lab.store.index import RunIndex, RunLine
from regard.lab.store.models import StoredModel, stored_models
from regard.lab.store.run import Run
from regard.lab.store.runs import Store
from regard.web.answer import encoded
from regard.web.bundle import Bundled
from regard.web.graphs import graph_document
from regard.web.preview import previews
from regard.web.refusal import Refusal

KEPT = 64
"Documents that are kept as bytes, for those who ask again."
PAUSE = 1.0
"Seconds for which the document of a run that is running, and the list of models, stay as they are."
SHARE = 20
"A document of a run that is running stays so many times as long as it took to make, if that is longer."
LOOKED = 200
"Newest runs whose folders are searched for models."
STATES: tuple[str, ...] = get_args(State)


class Lab:
    """A store of runs beside what comes with the package; every id is looked up in its tables."""

    def __init__(self, store: Store, bundled: Bundled) -> None:
        self.store, self.bundled = store, bundled
        self.own, self.recorded = RunIndex(store), RunIndex(bundled.runs)
        self.experiments: dict[str, dict[str, Any]] = {}
        "The document of each experiment, once the worker has told them."
        self._made: OrderedDict[tuple[str, ...], KeptDocument] = OrderedDict()
        self._turn = threading.Lock()

    def overview(self, running: Sequence[dict[str, Any]]) -> bytes:
        """The document of the lab."""
        jobs = tuple((one["id"], one["state"], one["run"]) for one in running)
        of = (self.states(), jobs, bool(self.experiments))
        return self._kept(("lab",), of, 0.0, lambda: self.document(running))

    def states(self) -> tuple[Any, ...]:
        """The runs and their states: another value means that lists of them are to be made again."""
        return tuple((one.id, one.state, one.stamp[:2]) for one in self.own.lines())

    def document(self, running: Sequence[dict[str, Any]]) -> dict[str, Any]:
        """Chapters, their experiments, and what came of each."""
        newest, counts = _newest(self.own.lines())
        recorded, _ = _newest(self.recorded.lines())
        known = self._known()
        yours = [self.yours(name) for name in newest.keys() - {one["name"] for one in known}]
        rows = [self._row(one, newest, counts, recorded) for one in [*known, *filter(None, yours)]]
        order = list(get_args(Chapter))
        rows.sort(key=lambda row: (order.index(row["chapter"]), row["name"]))
        return {
            "kind": "lab",
            "version": 1,
            "chapters": [
                {"name": chapter, "experiments": list(group)}
                for chapter, group in groupby(rows, key=lambda row: row["chapter"])
            ],
            "loading": not self.experiments,
            "running": list(running),
            "machine": machine(),
        }

    def _known(self) -> Sequence[dict[str, Any]]:
        return list(self.experiments.values()) or previews()

    def yours(self, name: str) -> dict[str, Any] | None:
        """The document of an experiment of a person's own, from its newest run: it is not run from a page."""
        line = _newest(self.own.lines())[0].get(name)
        if line is None:
            return None
        run = Run(line.path)
        asked = {} if run.problem else run.request
        said = {one: readable(str(asked.get(one, ""))) for one in ("question", "method", "see", "correction")}
        head = {"kind": "experiment", "version": 1, "name": name, "title": "", "chapter": "yours"}
        return head | said | {"seconds": line.seconds, "claims": [], "presets": {}}

    def _row(
        self,
        one: dict[str, Any],
        newest: dict[str, RunLine],
        counts: dict[str, int],
        recorded: dict[str, RunLine],
    ) -> dict[str, Any]:
        name = one["name"]
        head = {key: one[key] for key in ("name", "title", "question", "seconds", "chapter")}
        return head | {
            "states": newest[name].claims if name in newest else dict.fromkeys(STATES, 0),
            "recorded": recorded[name].claims if name in recorded else None,
            "runs": counts.get(name, 0),
            "latest": newest[name].id if name in newest else recorded[name].id if name in recorded else None,
        }

    def listed(self, experiment: str | None, limit: int, before: str | None) -> bytes:
        """The document of the list of runs."""
        name = ("runs", experiment or "", str(limit), before or "")
        return self._kept(name, self.states(), 0.0, lambda: self.runs(experiment, limit, before))

    def runs(self, experiment: str | None, limit: int, before: str | None) -> dict[str, Any]:
        """Runs, the newest first; recorded ones come after one's own."""
        lines = [(one, False) for one in self.own.lines()] + [(one, True) for one in self.recorded.lines()]
        chosen = [pair for pair in lines if experiment in (None, pair[0].name)]
        if before is not None:
            places = [place for place, (one, _) in enumerate(chosen) if one.id == before]
            chosen = chosen[places[0] + 1 :] if places else []
        shown = chosen[:limit]
        return {
            "kind": "runs",
            "version": 1,
            "runs": [_listed(one, recorded) for one, recorded in shown],
            "more": len(chosen) > limit,
            "total": len(lines),
        }

    def line(self, id: str) -> tuple[RunLine, bool]:
        """The run of an id, and whether it is a recorded one."""
        for index, recorded in ((self.own, False), (self.recorded, True)):
            if (found := index.find(id)) is not None:
                return found, recorded
        raise Refusal(404, "no run of that id", id, "reload the list; it may have been removed")

    def run(self, id: str) -> bytes:
        """The document of a run."""
        line, recorded = self.line(id)
        models = [one["id"] for one in self.models_of(line, recorded)]

        def make() -> dict[str, Any]:
            run = Run(line.path)
            about = {"model": bool(models), "models": models, "words": bool(models)}
            return run_document(run, id=line.id, recorded=recorded) | about

        return self._kept(("run", id), *_grown([line]), make)

    def compare(self, first: str, second: str) -> bytes:
        """The document of two runs."""
        lines = [self.line(one)[0] for one in (first, second)]
        make = lambda: comparison_document(*(self.readable(one) for one in lines))  # noqa: E731
        return self._kept(("compare", first, second), *_grown(lines), make)

    def share(self, id: str) -> tuple[str, str]:
        """The name of a run, and its report: one page that needs nothing beside it."""
        line, _ = self.line(id)
        return line.id, page(self.readable(line))

    def figure(self, id: str, number: int) -> str:
        """A figure of a run."""
        run = self.readable(self.line(id)[0])
        names = [name for name, _, _ in run.figures]
        drawn = run.figure(names[number]) if number < len(names) else None
        if drawn is None:
            raise Refusal(404, "this figure is gone or damaged", f"figure {number}", "run it again")
        return as_picture(drawn)

    @staticmethod
    def readable(line: RunLine) -> Run:
        """The run of a line, if it can be read."""
        run = Run(line.path)
        if run.problem:
            raise Refusal(409, run.problem.what, run.problem.got, run.problem.fix)
        return run

    def graph(self, id: str, centre: int | None, hops: int) -> bytes:
        """The document of a recorded graph, or of a part of it."""
        name = ("graph", id, str(centre), str(hops))
        return self._kept(name, (), 0.0, lambda: graph_document(self.bundled.graphs, id, centre, hops))

    def mixtures(self) -> bytes:
        """The document of the recorded mixtures."""
        found = self.bundled.mixtures
        if found is None:
            raise Refusal(404, "no mixtures were recorded", "none", "regard run mixtures draws them")
        return self._kept(("mixtures",), (), 0.0, lambda: found)

    def known_models(self) -> bytes:
        """The document of the list of models; a run may save one at any moment."""
        moment = (int(time.monotonic() / PAUSE),)
        make = lambda: {"kind": "models", "version": 1, "models": self.models()}  # noqa: E731
        return self._kept(("models",), moment, 0.0, make)

    def models(self) -> list[dict[str, Any]]:
        """Every model that can be looked into: those that come with the package, then those of new runs."""
        found = []
        for stored in stored_models(self.bundled.models):
            about = self.bundled.about.get(stored.path.name, {})
            what = about.get("what", "")
            found.append(_model(stored.path.name, stored.path.name, what, stored, bundled=True) | about)
        for line in self.own.lines()[:LOOKED]:
            found += self.models_of(line, recorded=False)
        return found

    @staticmethod
    def models_of(line: RunLine, recorded: bool) -> list[dict[str, Any]]:
        """The models that a run has saved."""
        stored = [] if recorded else stored_models(line.path)
        return [
            _model(_model_id(line.id, one.path.name), f"{line.name}, {one.path.name}", line.id, one)
            for one in stored
        ]

    def place(self, id: str) -> dict[str, str]:
        """Where the model of an id lies, for the worker."""
        for one in stored_models(self.bundled.models):
            if one.path.name == id:
                return {"path": str(one.path), "kind": one.kind, "name": id}
        run, _, _ = id.partition("~")
        line = self.own.find(run)
        for one in stored_models(line.path) if line else []:
            if _model_id(run, one.path.name) == id:
                return {"path": str(one.path), "kind": one.kind, "name": f"{line.name}" if line else id}
        raise Refusal(404, "no model of that id", id, "choose one of the list of models")

    def _kept(
        self, name: tuple[str, ...], of: tuple[Any, ...], pause: float, make: Callable[[], dict[str, Any]]
    ) -> bytes:
        """A document as bytes; made once for all who ask while what it is made of stays the same."""
        with self._turn:
            kept = self._made.setdefault(name, KeptDocument())
            self._made.move_to_end(name)
            while len(self._made) > KEPT:
                self._made.popitem(last=False)
        return kept.content(of, pause, make)


def _grown(lines: list[RunLine]) -> tuple[tuple[Any, ...], float]:
    """What documents of runs are made of, and how long they stay as they are."""
    running = any(one.state == "running" for one in lines)
    return tuple((one.state, one.stamp) for one in lines), PAUSE if running else 0.0


class KeptDocument:
    """The bytes of a document, and what they were made from."""

    def __init__(self) -> None:
        self._turn = threading.Lock()
        self._from: tuple[Any, ...] | None = None
        self._made = float("-inf")
        self._took = 0.0
        self._bytes = b""

    def content(self, of: tuple[Any, ...], pause: float, make: Callable[[], dict[str, Any]]) -> bytes:
        """The bytes, made again where something changed and the pause is over.

        Others wait for them, unless they are of what is running: then they get what was there before.
        """
        if not self._turn.acquire(blocking=not (pause and self._bytes)):
            return self._bytes
        try:
            begun = time.monotonic()
            if of != self._from and begun - self._made >= (max(pause, SHARE * self._took) if pause else 0.0):
                self._bytes = encoded(make())
                self._from, self._made = of, time.monotonic()
                self._took = self._made - begun
            return self._bytes
        finally:
            self._turn.release()


def _newest(lines: Sequence[RunLine]) -> tuple[dict[str, RunLine], dict[str, int]]:
    """The newest run of each experiment that settled anything, else the newest; and how many there are."""
    newest: dict[str, RunLine] = {}
    counts: dict[str, int] = {}
    for one in lines:
        counts[one.name] = counts.get(one.name, 0) + 1
        before = newest.get(one.name)
        if before is None or (before.state != "finished" and one.state == "finished"):
            newest[one.name] = one
    return newest, counts


def _listed(one: RunLine, recorded: bool) -> dict[str, Any]:
    return {
        "id": one.id,
        "name": one.name,
        "preset": one.preset,
        "seed": one.seed,
        "state": one.state,
        "started": one.started,
        "seconds": one.seconds,
        "claims": one.claims,
        "changes": one.changes,
        "recorded": recorded,
    }


def _model(id: str, name: str, what: str, stored: StoredModel, *, bundled: bool = False) -> dict[str, Any]:
    sizes = {"context": None, "vocabulary": None, "layers": None, "heads": None, "parameters": None}
    head = {"id": id, "name": name, "what": what, "kind": stored.kind, "bundled": bundled, "problem": None}
    return head | sizes | stored.sizes()


def _model_id(run: str, name: str) -> str:
    plain = name if all(one.isascii() and (one.isalnum() or one in "-_") for one in name) else ""
    return f"{run}~{plain or sha256(name.encode()).hexdigest()[:12]}"[:128]


def machine() -> dict[str, Any]:
    """This machine, in a few words."""
    try:
        own = version("regard")
    except PackageNotFoundError:
        own = ""
    return {
        "regard": own,
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
        "cores": os.cpu_count(),
        "folder": Path.cwd().name,
    }
