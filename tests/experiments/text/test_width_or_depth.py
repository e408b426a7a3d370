from dataclasses import replace
from pathlib import Path

import pytest
import torch

import golden
import own_words
from regard.experiments.text import width_or_depth as here
from regard.experiments.text.width_or_depth import (
    EXPERIMENT,
    NARROW,
    SHAPES,
    Settings,
    config_of,
    run,
    said_of_own,
)
from regard.lab.events import FigureEvent, PairedMetric
from regard.lab.experiment import Context
from regard.models.gpt.model import GPT
from saboteurs import Saboteur, covers, fails, small
from torchrun import alone_and_together, measured


def test_the_shapes_have_the_same_number_of_weights() -> None:
    sizes = [GPT(config_of(shape, Settings(), 65)).size for shape in SHAPES.values()]
    assert max(sizes) / min(sizes) < 1.01


@pytest.mark.slow
def test_a_small_run_compares_and_draws(tmp_path: Path) -> None:
    (tmp_path / "text.txt").write_text("the quick brown fox jumps over the lazy dog. " * 40)
    settings = Settings(
        text=str(tmp_path / "text.txt"), width=8, depth=1, context=6, steps=3, batch=2, seeds=2
    )
    events = list(run(settings, Context(folder=tmp_path)))
    golden.check(__file__, golden.of_events(events))
    own_words.check("width-or-depth", events)
    assert sum(isinstance(one, PairedMetric) for one in events) == 3 and [
        one.name for one in events if isinstance(one, FigureEvent)
    ] == ["curves"]


@pytest.mark.proof
def test_two_processes_share_the_trainings_and_measure_what_one_does(tmp_path: Path) -> None:
    (tmp_path / "text.txt").write_text("the quick brown fox jumps over the lazy dog. " * 40)
    sizes = ("width=8", "depth=1", "context=6", "steps=3", "batch=2", "seeds=2")
    alone, together = alone_and_together(tmp_path, "width-or-depth", f"text={tmp_path / 'text.txt'}", *sizes)
    assert len(measured(alone)) == 4 * 2 + 1 and measured(together) == measured(alone)
    assert together.compared == alone.compared


SABOTEURS = {
    "a deep MLP as wide as the wide one": Saboteur(
        lambda patch: patch.setattr(here, "SHAPES", SHAPES | {"3 layers, 1.56 × wide": (3, 4.0)}),
        {"largest difference in parameters, as a share"},
    ),
    "one shape under four names": Saboteur(
        lambda patch: patch.setattr(here, "config_of", lambda shape, *rest: config_of((1, 4.0), *rest)),
        {"held-out loss, 1 × wide minus 4 × wide"},
    ),
    "a wide model that is hardly trained": Saboteur(
        lambda patch: patch.setattr(here, "_trained", unfair), {"held-out loss, 3 hidden layers minus 1"}
    ),
}
fair = here._trained


def unfair(model, settings, corpus, seed):
    wide = (model.config.layers, model.config.ratio) == (1, 4.0)
    return fair(model, replace(settings, steps=1) if wide else settings, corpus, seed)


@pytest.mark.slow
@pytest.mark.parametrize("name", SABOTEURS)
def test_another_comparison_fails_its_claims(name: str, monkeypatch, tmp_path: Path) -> None:
    (tmp_path / "text.txt").write_text("the quick brown fox jumps over the lazy dog. " * 40)
    settings = Settings(
        text=str(tmp_path / "text.txt"), width=16, depth=1, context=6, steps=60, batch=8, seeds=3
    )
    monkeypatch.setattr(here, "_figure", lambda *_: None)
    fails(EXPERIMENT, SABOTEURS[name], monkeypatch, small(EXPERIMENT, settings, tmp_path))


def test_every_claim_has_a_saboteur() -> None:
    covers(EXPERIMENT, SABOTEURS)


def test_models_are_trained_on_the_device_that_is_asked_for(monkeypatch, tmp_path: Path) -> None:
    """The device that keeps no numbers serves: a training there ends before its first step."""
    (tmp_path / "text.txt").write_text("the quick brown fox jumps over the lazy dog. " * 40)
    monkeypatch.setattr(here, "find_device", lambda name: torch.device({"another": "meta"}[name]))
    settings = Settings(text=str(tmp_path / "text.txt"), width=16, depth=1, context=6, steps=2, batch=8, seeds=2, device="another")  # fmt: skip
    with pytest.raises(RuntimeError, match="'meta'"):
        list(run(settings, Context(folder=tmp_path)))


def test_what_was_found_in_a_text_of_ones_own_follows_the_trainings_that_are_done() -> None:
    wide, deep, deeper = SHAPES
    first = {wide: {0: 2.0}, deep: {}, deeper: {}, NARROW: {}}
    assert f"{wide}, 2.000 (1)." in said_of_own(first, 6) and "Beside" not in said_of_own(first, 6)
    ends = {wide: {0: 2.0, 1: 2.1}, deep: {0: 2.1, 1: 2.0}, deeper: {0: 2.0}, NARROW: {0: 2.5, 1: 2.6001}}
    told = said_of_own(ends, 6)
    assert f"{deep} +0.000 (-1.271 to +1.271, which settles nothing)" in told
    assert f"{NARROW} +0.500 (+0.499 to +0.501)" in told and f"{deeper} +" not in told
