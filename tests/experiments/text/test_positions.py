from dataclasses import replace
from pathlib import Path

import pytest
import torch

import golden
from regard.experiments.text import positions as here
from regard.experiments.text.positions import (
    EXPERIMENT,
    Settings,
    losses,
    model_of,
    order_seen,
    run,
    shuffled,
)
from regard.lab.events import FigureEvent, Metric
from regard.lab.experiment import Context
from saboteurs import Saboteur, covers, fails, small
from torchrun import alone_and_together, measured


def test_one_layer_without_positions_is_blind_to_order_and_two_are_not() -> None:
    assert order_seen(1, 3) < 1e-12 and order_seen(2, 3) > 1e-3


def test_shuffling_keeps_the_characters_and_the_last_place() -> None:
    inputs = torch.arange(12).view(2, 6)
    mixed, targets = shuffled((inputs, inputs + 1), torch.Generator().manual_seed(0))
    assert (
        torch.equal(mixed[:, -1], inputs[:, -1])
        and torch.equal(mixed.sort(1).values, inputs)
        and not torch.equal(mixed, inputs)
        and torch.equal(targets, inputs + 1)
    )


@pytest.mark.slow
def test_a_small_run_measures_and_draws(tmp_path: Path) -> None:
    (tmp_path / "text.txt").write_text("the quick brown fox jumps over the lazy dog. " * 40)
    settings = Settings(
        text=str(tmp_path / "text.txt"), length=6, beyond=18, width=8, depth=1, steps=2, batch=2, seeds=2
    )
    events = list(run(settings, Context(folder=tmp_path)))
    golden.check(__file__, golden.of_events(events))
    assert [one.name for one in events if isinstance(one, FigureEvent)] == ["length"]
    assert (
        len({one.name for one in events if isinstance(one, Metric) and one.name.startswith("loss beyond it")})
        == 5
    )


@pytest.mark.slow
def test_two_processes_share_the_trainings_and_measure_what_one_does(tmp_path: Path) -> None:
    (tmp_path / "text.txt").write_text("the quick brown fox jumps over the lazy dog. " * 40)
    sizes = ("length=6", "beyond=18", "width=8", "depth=1", "steps=3", "batch=2", "seeds=3")
    alone, together = alone_and_together(tmp_path, "positions", f"text={tmp_path / 'text.txt'}", *sizes)
    assert len(measured(alone)) == 2 + 3 * 5 * 3 and measured(together) == measured(alone)
    assert together.compared == alone.compared


def by_place(growth: float):
    """A loss that grows or falls with the place, whatever the model says."""
    return lambda model, windows: (
        losses(model, windows) * (1 + growth * torch.arange(windows[0].shape[1]) / 18)
    )


BEYOND = "{}: loss beyond the trained length minus within"
SABOTEURS = {
    "one layer and two exchanged": Saboteur(
        lambda patch: patch.setattr(here, "order_seen", lambda depth, seed: order_seen(3 - depth, seed)),
        {f"{layers} without positions: change of the last output when the past is reversed" for layers in ("1 layer", "2 layers")},
    ),
    "models without positions, whatever their name": Saboteur(
        lambda patch: patch.setattr(here, "model_of", lambda kind, *rest: model_of("none", *rest)),
        {"loss within the trained length, no positions minus rotary"},
    ),
    "a loss that falls with the place": Saboteur(
        lambda patch: patch.setattr(here, "losses", by_place(-0.5)), {BEYOND.format("learned table"), BEYOND.format("rotary")}
    ),
    "a loss that grows with the place": Saboteur(
        lambda patch: patch.setattr(here, "losses", by_place(0.5)), {BEYOND.format("ALiBi")}
    ),
    "ALiBi that is hardly trained": Saboteur(
        lambda patch: patch.setattr(here, "_tried", lambda model, settings, *rest: right_tried(model, settings if model.config.position != "alibi" else replace(settings, steps=1), *rest)),
        {"loss beyond the trained length, rotary minus ALiBi"},
    ),
    "a past that is not shuffled": Saboteur(
        lambda patch: patch.setattr(here, "shuffled", lambda windows, generator: windows),
        {"no positions: loss with the past shuffled minus in order"},
    ),
}  # fmt: skip
right_tried = here._tried


@pytest.mark.slow
@pytest.mark.parametrize("name", SABOTEURS)
def test_another_measurement_fails_its_claims(name: str, monkeypatch, tmp_path: Path) -> None:
    (tmp_path / "text.txt").write_text("the quick brown fox jumps over the lazy dog. " * 40)
    settings = Settings(
        text=str(tmp_path / "text.txt"), length=6, beyond=18, width=8, depth=1, steps=1, batch=4, seeds=2
    )
    if "trained" in name:
        settings = replace(settings, steps=20, seeds=3)
    monkeypatch.setattr(here, "_figure", lambda *_: None)
    fails(EXPERIMENT, SABOTEURS[name], monkeypatch, small(EXPERIMENT, settings, tmp_path))


def test_every_claim_has_a_saboteur() -> None:
    covers(EXPERIMENT, SABOTEURS)
