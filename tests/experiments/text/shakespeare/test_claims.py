"""Every claim on the two small GPTs fails where what it speaks of is another."""

import time
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
import torch

from regard.experiments.text.corpus import load_corpus
from regard.experiments.text.shakespeare import experiment as here
from regard.experiments.text.shakespeare import sentences
from regard.experiments.text.shakespeare import written_out as formulas
from regard.experiments.text.shakespeare.claims import EPOCHS_TEACH, TOP_K_HELPS, TRAINING_TEACHES
from regard.experiments.text.shakespeare.experiment import EXPERIMENT, Settings, run
from regard.lab.events import Metric
from regard.lab.experiment import Context
from regard.training import Plan, Training
from regard.training.budget import CALIBRATION
from saboteurs import Saboteur, covers, fails, small, states, without_figures
from short_of_time import end_early


def noise(model, corpus, prompt, *, steps, sampler, seed, rows=1):
    """A model that says any characters."""
    generator = torch.Generator().manual_seed(seed)
    drawn = torch.randint(0, corpus.tokenizer.size, (rows, steps), generator=generator)
    return [prompt + corpus.tokenizer.decode(row) for row in drawn]


def known(source, **words):
    """A text of one's own that goes for tiny Shakespeare."""
    corpus = load_corpus(source, **words)
    return replace(corpus, text=replace(corpus.text, name="tiny-shakespeare"))


def untaught(model, batches, objective, plan, **words):
    """A training with steps too small to learn anything."""
    return Training(
        model, batches, objective, replace(plan, learning_rate=1e-9, matrix_learning_rate=1e-9), **words
    )


BAG = " " * 92 + "e" * 44 + "t" * 15 + "a" * 15 + "o" * 14 + "bcdfghijklmnpqrsuvwx"
"Letters of which a text has the loss and the accuracy of the course's log once a model knows how often each comes."


def easy() -> str:
    """A text that is learned in a few steps."""
    draw = Random(4)
    return "".join("".join(draw.sample(BAG, len(BAG))) for _ in range(40))


SABOTEURS = {
    "attention with other weights": Saboteur(
        lambda patch: patch.setattr(formulas, "inf", 0.0), {"gap between attention written out and the layer"}
    ),
    "a model that is sure before it has learned anything": Saboteur(
        lambda patch: patch.setattr(here, "DUKE", replace(here.DUKE, init_std=1.0)),
        {"Duke HW3: loss before training minus ln of the number of characters"},
    ),
    "models that are not trained": Saboteur(
        lambda patch: patch.setattr(here, "Training", untaught),
        {
            "Jerusalem ex. 5: test loss after the last epoch minus that of a table of letter pairs",
            "Jerusalem ex. 5: test loss after 100,000 windows",
            "Jerusalem ex. 5: training loss at the end",
            "Jerusalem ex. 5: test loss at the end",
            "Jerusalem ex. 5: test accuracy at the end",
            "Duke HW3: held-out loss at the end",
            "Duke HW3: held-out loss at the end minus that of a table of letter pairs",
        },
    ),
    "models that say anything": Saboteur(
        lambda patch: [patch.setattr(one, "speak", noise) for one in (here, sentences)],
        {EPOCHS_TEACH, TOP_K_HELPS, TRAINING_TEACHES},
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", SABOTEURS)
def test_another_model_fails_its_claims(name: str, monkeypatch, tmp_path: Path) -> None:
    without_figures(monkeypatch, here)
    (tmp_path / "text.txt").write_text(easy())
    monkeypatch.setattr(here, "load_corpus", known)
    monkeypatch.setattr(here, "EPOCH", 14)
    monkeypatch.setattr(here, "ADAM", replace(here.ADAM, learning_rate=1.4e-3))
    monkeypatch.setattr(here, "DUKE", replace(here.DUKE, depth=1, heads=2, width=16))
    settings = Settings(
        text=str(tmp_path / "text.txt"), epochs=5, epoch=14, plan=Plan(steps=80, optimiser="muon", learning_rate=1e-2),
        batch=8, rows=8, spoken=120, judged=None,
    )  # fmt: skip
    fails(EXPERIMENT, SABOTEURS[name], monkeypatch, small(EXPERIMENT, settings, tmp_path))


def test_every_claim_has_a_saboteur() -> None:
    covers(EXPERIMENT, SABOTEURS)


@pytest.mark.slow
def test_what_a_budget_cut_off_settles_nothing(monkeypatch, tmp_path: Path) -> None:
    without_figures(monkeypatch, here)
    monkeypatch.setattr(here, "load_corpus", known)
    monkeypatch.setattr(here, "EPOCH", 3)
    monkeypatch.setattr(here, "DUKE", replace(here.DUKE, depth=1, heads=2, width=16))
    end_early(monkeypatch)
    (tmp_path / "text.txt").write_text(easy())
    settings = Settings(
        text=str(tmp_path / "text.txt"), epochs=2, epoch=3, plan=Plan(steps=6, optimiser="muon"), batch=2, rows=2, spoken=12
    )  # fmt: skip
    events = list(run(settings, Context(folder=tmp_path, deadline=time.monotonic() + 1000)))
    steps = {one.at["step"] for one in events if isinstance(one, Metric) and "step" in one.at}
    assert steps == set(range(1, CALIBRATION + 2))
    names = [one.name for one in events if isinstance(one, Metric) and not one.at]
    assert len(names) == len(set(names)), "nothing is measured twice"
    assert {name for name, state in states(EXPERIMENT.claims, events).items() if state != "not settled"} == {
        "gap between attention written out and the layer",
        "Duke HW3: loss before training minus ln of the number of characters",
        "Jerusalem ex. 5: test loss after 100,000 windows",
    }
