"""Saboteurs: each changes what an experiment measures, at a small size, and the claims that speak of it no longer hold.

    SABOTEURS = {"a graph without edges": Saboteur(plant, {"share of …"})}

`plant` takes pytest's monkeypatch and puts another function, label or model in the place of the right one. The
figures of an experiment are not drawn meanwhile. As a control the same size is measured with nothing planted, where
none of these claims may fail.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import mkdtemp
from types import ModuleType
from typing import Any

import pytest

from regard.claims import Claim, ClaimVerdict
from regard.lab.events import Event, FigureEvent, ProgressEvent
from regard.lab.experiment import Context, Experiment
from regard.lab.runner import settle

Plant = Callable[[pytest.MonkeyPatch], Any]


@dataclass(frozen=True)
class Saboteur:
    """What is changed, and the claims that must then fail."""

    plant: Plant
    fail: set[str]


def without_figures(patch: pytest.MonkeyPatch, *modules: ModuleType) -> None:
    """In these modules, whatever is called `draw_…` draws nothing."""
    for module in modules:
        for name in [one for one in vars(module) if one.startswith("draw_")]:
            patch.setattr(module, name, lambda *_, **__: None)


def verdicts(
    claims: Sequence[Claim], events: Iterable[Event], preset: str = "full"
) -> dict[str, ClaimVerdict]:
    """What came of each claim, by its name."""
    kept = [one for one in events if not isinstance(one, FigureEvent | ProgressEvent)]
    return {one.claim.name: one for one in settle(claims, kept, preset=preset)}


def states(claims: Sequence[Claim], events: Iterable[Event], preset: str = "full") -> dict[str, str]:
    """The verdict on each claim, by its name."""
    return {name: one.state for name, one in verdicts(claims, events, preset).items()}


@dataclass(frozen=True)
class SmallRun:
    """An experiment at a small size: each call measures anew, in a folder of its own."""

    experiment: Experiment
    settings: Any
    folder: Path

    def __call__(self) -> Iterator[Event]:
        return self.experiment.run(self.settings, Context(folder=Path(mkdtemp(dir=self.folder))))

    @property
    def size(self) -> tuple[str, str]:
        """Which experiment it is, and its settings, wherever their files are."""
        return self.experiment.run.__module__, repr(self.settings).replace(str(self.folder), "")


def small(experiment: Experiment, settings: Any, folder: Path) -> SmallRun:
    """The events of an experiment at a small size."""
    return SmallRun(experiment, settings, folder)


unplanted: dict[tuple[str, str], dict[str, ClaimVerdict]] = {}
"What came of the claims with nothing planted, once for each experiment and size."


def control(experiment: Experiment, events: SmallRun, names: Iterable[str]) -> list[ClaimVerdict]:
    """What came of some claims with nothing planted; measured again where another test left them out."""
    if any(
        one not in unplanted.get(events.size, {}) or unplanted[events.size][one].value is None
        for one in names
    ):
        unplanted[events.size] = verdicts(experiment.claims, events())
    return [unplanted[events.size][name] for name in names]


def fails(experiment: Experiment, saboteur: Saboteur, patch: pytest.MonkeyPatch, events: SmallRun) -> None:
    """Measure with nothing planted, plant a saboteur, measure again: only then do the claims it names fail."""
    without = control(experiment, events, saboteur.fail)
    already = [one.claim.name for one in without if one.state == "failed"]
    assert not already, f"these fail with nothing planted: {already}"
    missing = [one.claim.name for one in without if one.value is None]
    assert not missing, f"these are not measured with nothing planted: {missing}"
    saboteur.plant(patch)
    found = states(experiment.claims, events())
    expected = dict.fromkeys(saboteur.fail, "failed")
    seen = {name: found[name] for name in expected}
    assert seen == expected, seen


def covers(experiment: Experiment, saboteurs: Mapping[str, Saboteur]) -> None:
    """Every claim of an experiment has a saboteur."""
    assert set().union(*(one.fail for one in saboteurs.values())) == {one.name for one in experiment.claims}
