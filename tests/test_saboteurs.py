from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace

import pytest

from regard.claims import Claim
from regard.lab.events import Metric
from regard.lab.experiment import Experiment
from saboteurs import Saboteur, fails, small

SCALE = SimpleNamespace(shows=lambda kilos: kilos)


@dataclass(frozen=True)
class Load:
    kilos: float
    note: str = ""


def weigh(settings, context):
    assert not any(context.folder.iterdir()), "each run has a folder of its own"
    (context.folder / "weighed").touch()
    shown = SCALE.shows(settings.kilos)
    if shown is not None:
        yield Metric("weight", shown)


WEIGHING = Experiment(question="How heavy?", claims=(Claim("weight", low=1.0, high=2.0),), run=weigh)
BROKEN = Saboteur(lambda patch: patch.setattr(SCALE, "shows", lambda kilos: 2 * kilos), {"weight"})
HARMLESS = Saboteur(lambda patch: None, {"weight"})


def test_a_planted_fault_fails_a_claim_that_holds_without_it(monkeypatch, tmp_path: Path) -> None:
    fails(WEIGHING, BROKEN, monkeypatch, small(WEIGHING, Load(1.5), tmp_path))


def test_a_claim_that_fails_with_nothing_planted_shows_nothing(monkeypatch, tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match="these fail with nothing planted"):
        fails(WEIGHING, BROKEN, monkeypatch, small(WEIGHING, Load(3.0), tmp_path))


def test_a_claim_that_is_not_measured_with_nothing_planted_shows_nothing(monkeypatch, tmp_path: Path) -> None:
    heavier = Saboteur(lambda patch: patch.setattr(SCALE, "shows", lambda kilos: 2.5), {"weight"})
    monkeypatch.setattr(SCALE, "shows", lambda kilos: None)
    with pytest.raises(AssertionError, match="these are not measured with nothing planted"):
        fails(WEIGHING, heavier, monkeypatch, small(WEIGHING, Load(1.1), tmp_path))


def test_a_plant_that_changes_nothing_is_told(monkeypatch, tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match="held"):
        fails(WEIGHING, HARMLESS, monkeypatch, small(WEIGHING, Load(1.25), tmp_path))


def test_the_control_of_one_size_is_measured_once_wherever_its_files_are(monkeypatch, tmp_path: Path) -> None:
    asked: list[float] = []
    monkeypatch.setattr(SCALE, "shows", lambda kilos: asked.append(kilos) or kilos)
    for place in ("here", "there"):
        (tmp_path / place).mkdir()
        events = small(WEIGHING, Load(1.75, note=str(tmp_path / place / "text")), tmp_path / place)
        with pytest.MonkeyPatch.context() as patch:
            fails(WEIGHING, BROKEN, patch, events)
    assert asked == [1.75]
