from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
import torch

import golden
import own_words
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
from regard.training import Training
from saboteurs import Saboteur, covers, fails, small
from torchrun import alone_and_together, measured

PANGRAM = "the quick brown fox jumps over the lazy dog. " * 40
TURNS = "bacaddddbadaddadcbacdbca" * 100
"Four letters in an order that comes again and again: what follows a letter depends on those before it."
LENGTH = 8


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
    (tmp_path / "text.txt").write_text(PANGRAM)
    settings = Settings(
        text=str(tmp_path / "text.txt"), length=6, beyond=18, width=8, depth=1, steps=2, batch=2, seeds=2
    )
    events = list(run(settings, Context(folder=tmp_path)))
    golden.check(__file__, golden.of_events(events))
    own_words.check("positions", events)
    assert [one.name for one in events if isinstance(one, FigureEvent)] == ["length"]
    assert (
        len({one.name for one in events if isinstance(one, Metric) and one.name.startswith("loss beyond it")})
        == 5
    )


@pytest.mark.slow
def test_two_processes_share_the_trainings_and_measure_what_one_does(tmp_path: Path) -> None:
    (tmp_path / "text.txt").write_text(PANGRAM)
    sizes = ("length=6", "beyond=18", "width=8", "depth=1", "steps=3", "batch=2", "seeds=3")
    alone, together = alone_and_together(tmp_path, "positions", f"text={tmp_path / 'text.txt'}", *sizes)
    assert len(measured(alone)) == 2 + 3 * 5 * 3 and measured(together) == measured(alone)
    assert together.compared == alone.compared


def other_targets(places: slice):
    """The loss where at some places of the longer windows something else is asked for than what follows."""

    def measured(model, windows):
        inputs, targets = windows[0], windows[1].clone()
        if inputs.shape[1] > LENGTH:
            targets[:, places] = (targets[:, places] + 1) % model.config.vocabulary
        return losses(model, (inputs, targets))

    return measured


taught: dict = {}


def trained_once(text, model, batches, objective, plan, **where):
    """The training of a model on a text, made once for all saboteurs that leave it as it is."""
    key = (text, model.config, plan)
    if key not in taught:
        for _ in Training(model, batches, objective, plan, **where):
            pass
        taught[key] = {name: value.clone() for name, value in model.state_dict().items()}
    model.load_state_dict(taught[key])
    return ()


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
    "other targets within the trained length": Saboteur(
        lambda patch: patch.setattr(here, "losses", other_targets(slice(LENGTH))), {BEYOND.format("learned table"), BEYOND.format("rotary")}
    ),
    "other targets beyond the trained length": Saboteur(
        lambda patch: patch.setattr(here, "losses", other_targets(slice(LENGTH, None))), {BEYOND.format("ALiBi")}
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
    text = "turns" if "without positions" in name else "pangram"
    (tmp_path / text).write_text(TURNS if text == "turns" else PANGRAM)
    settings = Settings(
        text=str(tmp_path / text), length=LENGTH, beyond=4 * LENGTH, width=32, depth=2, steps=60, batch=8, seeds=3
    )  # fmt: skip
    monkeypatch.setattr(here, "Training", partial(trained_once, text))
    monkeypatch.setattr(here, "_figure", lambda *_: None)
    fails(EXPERIMENT, SABOTEURS[name], monkeypatch, small(EXPERIMENT, settings, tmp_path))


def test_every_claim_has_a_saboteur() -> None:
    covers(EXPERIMENT, SABOTEURS)


def test_models_are_trained_on_the_device_that_is_asked_for(monkeypatch, tmp_path: Path) -> None:
    """The device that keeps no numbers serves: a training there ends before its first step."""
    (tmp_path / "text.txt").write_text(PANGRAM)
    monkeypatch.setattr(here, "find_device", lambda name: torch.device({"another": "meta"}[name]))
    settings = Settings(text=str(tmp_path / "text.txt"), length=6, beyond=18, width=8, depth=1, steps=2, batch=2, seeds=2, device="another")  # fmt: skip
    with pytest.raises(RuntimeError, match="'meta'"):
        list(run(settings, Context(folder=tmp_path)))
