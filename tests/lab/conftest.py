"""A small experiment and an empty store for the lab's tests."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from regard.claims import Claim
from regard.lab.book.style import panels, style
from regard.lab.events import Event, FigureEvent, Metric, PairedMetric, ProgressEvent, TableEvent, TextEvent
from regard.lab.experiment import Context, Experiment
from regard.lab.store.runs import Store


@dataclass(frozen=True, kw_only=True)
class Inner:
    depth: int = 2
    "How deep."


@dataclass(frozen=True, kw_only=True)
class Settings:
    height: float = 1.5
    "How high."
    seeds: int = 3
    "How often."
    inner: Inner = field(default_factory=Inner)


def measure(settings: Settings, context: Context) -> Iterator[Event]:
    yield ProgressEvent("measuring", 0.5)
    for seed in range(settings.seeds):
        yield Metric("height", settings.height + 0.01 * seed, seed)
        yield Metric("curve", seed**2, seed, {"step": seed})
    pairs = range(settings.seeds)
    yield PairedMetric(
        "gain",
        ("new", "old"),
        {seed: 2.0 + seed for seed in pairs},
        {seed: 1.0 + 1.01 * seed for seed in pairs},
    )
    yield TableEvent("sizes", ("name", "size"), [("a <b>", 1), ("c", 2.5)], "Sizes of things.")
    yield TextEvent("a sample", "to be <or> not")
    with style():
        figure, (axis,) = panels()
        axis.plot([0, 1], [0, settings.height])
    yield FigureEvent("line", figure, "A line.")


@pytest.fixture
def experiment() -> Experiment:
    return Experiment(
        name="heights",
        question="How high is it?",
        method="By ruler, with `care`.\n\nTwice.",
        see="That it is 1.5 & more.",
        correction="The assignment says 2.",
        claims=(
            Claim(name="height", low=1.4, high=1.6, why="as built", source="the plan", items=(6,)),
            Claim(name="gain", low=0.5, why="new is better", source="the plan"),
            Claim(name="height at full size", low=1.0, why="as built", source="the plan", preset="full"),
        ),
        presets={"quick": Settings(), "full": Settings(seeds=5)},
        seconds=1,
        run=measure,
    )


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "runs")


@pytest.fixture
def source() -> Path:
    return Path(__file__)
