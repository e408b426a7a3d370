"""A small book for the tests of the site: two experiments and a theorem, run once."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from regard.claims import Claim
from regard.lab import registry
from regard.lab.book.coverage import coverage
from regard.lab.book.site.contents import BookContents
from regard.lab.book.style import panels, style
from regard.lab.events import Event, FigureEvent, Metric, TableEvent, TextEvent
from regard.lab.experiment import Context, Experiment
from regard.lab.runner import run
from regard.lab.store.entries import entries
from regard.lab.store.runs import Store

WORDS = ("a", "column", "with", "a", "long", "name", "of", "its", "own")
THEOREM = "theory-beam-search"


@dataclass(frozen=True, kw_only=True)
class Settings:
    seeds: int = 3
    "How often it is measured."
    text: str | None = None
    "A text of your own."


def measure(settings: Settings, context: Context) -> Iterator[Event]:
    for seed in range(settings.seeds):
        yield Metric("height, m", 1.5 + 0.01 * seed, seed)
        yield Metric("depth, m", 0.1, seed)
    yield TableEvent("sizes", WORDS, [[1.5] * len(WORDS), ["x <y>"] * len(WORDS)], "Sizes <of> things.")
    yield TextEvent("a sample", "to be <or> not" + 40 * " to be")
    with style():
        narrow, (axis,) = panels(width=4)
        axis.plot([0, 1], [0, 1])
        axis.set(xlabel="height, m")
        wide, axes = panels(3)
        for one in axes:
            one.imshow([[0, 1], [1, 0]])
            one.text(0, 0, "0", color="white")
    yield FigureEvent("line", narrow, 'A line & a "quote".')
    yield FigureEvent("cells", wide, "Cells with white numbers.")


def experiment(name: str, title: str, *claims: Claim) -> Experiment:
    return Experiment(
        name=name,
        title=title,
        chapter="text",
        question=f"How high is {name}?",
        method=f"By ruler, with `care`.\n\nAs in [[{THEOREM}]], and in [[nowhere]].",
        see="That it is *1.5* & more: softmax.",
        correction="The assignment says 2.",
        claims=claims,
        presets={"quick": Settings(), "full": Settings(seeds=5)},
        run=measure,
    )


HEIGHTS = experiment(
    "heights",
    "How high things are",
    Claim("height, m", low=1.4, high=1.6, why="as built", source="Duke HW3, 3a", items=(6,), says="It is {value:.2f} m high.", otherwise="It is not."),
    Claim("depth, m", low=1.0, why="as dug", source="the plan", items=(7,), says="It is deep.", otherwise="It is only {value} m deep."),
    Claim("height at full size", low=1.0, why="as built", preset="full", asks="whether it grows"),
    Claim("depth,  m", low=1.0, why="never measured"),
)  # fmt: skip
OTHERS = experiment("others", "What else there is", Claim("height, m", low=1.0, items=(23,)))


@pytest.fixture(scope="session")
def contents(tmp_path_factory: pytest.TempPathFactory) -> BookContents:
    """Three runs, and the coverage that they make."""
    store = Store(tmp_path_factory.mktemp("site") / "runs")
    theorem, source = registry.find(THEOREM)
    runs = [run(one, one.presets["quick"], store, source=place, preset="quick") for one, place in
            ((HEIGHTS, Path(__file__)), (OTHERS, Path(__file__)), (theorem, source))]  # fmt: skip
    known = {one.name: one for one in (HEIGHTS, OTHERS, theorem)}
    return BookContents(runs, known, coverage(known.values(), entries(store)), ["gone: it broke, badly"])
