"""The lab book: every experiment run, or found unchanged, and all reports in one page."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

from regard.errors import RegardError
from regard.files import explained, write
from regard.lab import registry
from regard.lab.book.coverage import coverage
from regard.lab.book.report import render
from regard.lab.book.sources import SOURCES
from regard.lab.experiment import Chapter, Experiment
from regard.lab.runner import Watch, run
from regard.lab.settings import choose
from regard.lab.store import fingerprint
from regard.lab.store.entries import entries, finished
from regard.lab.store.run import Run
from regard.lab.store.runs import Store

PAGE = "index.html"
MARK, LOOK = b"<title>The lab book", 2000
"How a page is known to be a book, and how many of its bytes are looked at."


@dataclass(frozen=True)
class BookEntry:
    """What a book needs: an experiment, its file, and the run that already answers it, if there is one."""

    experiment: Experiment
    source: Path
    done: Run | None


def plan(names: Sequence[str], store: Store, *, preset: str, seed: int) -> list[BookEntry]:
    """Each experiment with the run whose settings, seed and code are those of now."""
    done = finished(store)
    found = [registry.find(name) for name in names]
    settings = [choose(one.presets, preset) for one, _ in found]
    keys = [
        fingerprint.key(chosen, seed=seed, source=source)
        for chosen, (_, source) in zip(settings, found, strict=True)
    ]
    return [
        BookEntry(experiment, source, Run(store.root / done[key].id) if key in done else None)
        for (experiment, source), key in zip(found, keys, strict=True)
    ]


def fill(
    plans: Sequence[BookEntry], store: Store, *, preset: str, seed: int, watch: Callable[[Experiment], Watch]
) -> tuple[list[Run], list[str]]:
    """Run what is missing; give all runs, and a sentence for each experiment that could not be run."""
    runs: list[Run] = []
    problems: list[str] = []
    for one in plans:
        try:
            runs.append(one.done or run(
                one.experiment, one.experiment.presets[preset], store,
                source=one.source, preset=preset, seed=seed, watch=watch(one.experiment),
            ))  # fmt: skip
        except RegardError as error:
            problems.append(f"{one.experiment.name}: {error.what}, {error.got}")
        if runs and runs[-1].state == "stopped":
            raise KeyboardInterrupt
    return runs, problems


def bind(runs: Sequence[Run], problems: Sequence[str], store: Store, *, preset: str, place: Path) -> Path:
    """Write the book."""
    require_place(place)
    chapters = [
        (chapter, [run for run in runs if run.request["chapter"] == chapter]) for chapter in get_args(Chapter)
    ]
    items = coverage(registry.everything(), entries(store))
    counts = Counter(verdict.state for run in runs for verdict in run.verdicts)
    text = render(
        "book.html",
        title="The lab book",
        runs=runs,
        problems=problems,
        chapters=[(chapter, group) for chapter, group in chapters if group],
        counts=counts,
        seconds=sum(run.result["seconds"] for run in runs),
        preset=preset,
        names=[run.request["name"] for run in runs],
        asked=[(source, [one for one in items if one.source == source.name]) for source in SOURCES],
    )
    with explained(place):
        place.mkdir(parents=True, exist_ok=True)
    write(place / PAGE, text)
    return place / PAGE


def require_place(place: Path) -> None:
    """Refuse a place where a book would overwrite what is no book."""
    page = place / PAGE
    if place.exists() and not place.is_dir():
        raise RegardError("a book is written into a folder", f"{place}, a file", "name a folder with --out")
    if page.exists() and MARK not in page.read_bytes()[:LOOK]:
        raise RegardError(
            "this page is not a book of regard",
            str(page),
            "name another folder with --out, or move the page away",
        )
