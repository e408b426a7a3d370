"""The lab book: every experiment run, or found unchanged, and a site of all their pages."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from regard.errors import RegardError, Stopped
from regard.lab import registry
from regard.lab.book.coverage import coverage
from regard.lab.book.site.contents import BookContents
from regard.lab.book.site.output import COVER, write_book
from regard.lab.book.site.page import Page
from regard.lab.book.site.pages import files, pages
from regard.lab.experiment import Experiment
from regard.lab.records.record import records
from regard.lab.records.reproduce import stale
from regard.lab.runner import Watch, run
from regard.lab.settings import choose
from regard.lab.store import fingerprint
from regard.lab.store.entries import entries, finished
from regard.lab.store.run import Run
from regard.lab.store.runs import Store

AsFiles = Callable[[Sequence[Page]], dict[str, bytes]]
"How pages become files: `files` of a site, or `single`."


@dataclass(frozen=True)
class BookEntry:
    """What a book needs: an experiment, its file, and the run that already answers it, if there is one."""

    experiment: Experiment
    source: Path
    key: str
    "The key of the run that answers it."
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
        BookEntry(experiment, source, key, Run(store.root / done[key].id) if key in done else None)
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
            raise Stopped
    return runs, problems


def gather(
    plans: Sequence[BookEntry], runs: Sequence[Run], problems: Sequence[str], store: Store, *, preset: str
) -> BookContents:
    """What the pages are made of."""
    known = registry.everything()
    return BookContents(
        runs=runs,
        experiments={one.name: one for one in [*known, *(entry.experiment for entry in plans)]},
        items=coverage(known, entries(store), records()),
        problems=problems,
        preset=preset,
        records=records(),
        stale=stale(),
    )


def bind(contents: BookContents, place: Path, *, as_files: AsFiles = files) -> Path:
    """Write the book, as a site or as a single file, and give its first page."""
    write_book(place, as_files(pages(contents)))
    return place / COVER
