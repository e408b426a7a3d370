import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
import torch

import golden
from regard.experiments.text.corpus import load_corpus
from regard.experiments.text.shakespeare import experiment as here
from regard.experiments.text.shakespeare import written_out as formulas
from regard.experiments.text.shakespeare.experiment import EXPERIMENT, Settings, last_right, run
from regard.lab.events import FigureEvent, Metric, TextEvent
from regard.lab.experiment import Context
from regard.lab.store.runs import Store
from regard.training import Checkpoints, Plan, Training
from regard.training.budget import CALIBRATION
from saboteurs import Saboteur, covers, fails, small, states, without_figures
from short_of_time import end_early

LINE = "First Citizen:\nBefore we proceed any further, hear me speak.\n\nAll:\nSpeak, the speak. ROMEO: What light through yonder\n"


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    (tmp_path / "text.txt").write_text(LINE * 30)
    return Settings(
        text=str(tmp_path / "text.txt"),
        epochs=2,
        epoch=3,
        plan=Plan(steps=4, optimiser="muon"),
        batch=2,
        rows=2,
        spoken=12,
    )


def test_accuracy_looks_at_the_last_character_alone(settings: Settings) -> None:
    corpus = load_corpus(settings.text, shares={"train": 0.5, "test": 0.5}, context=5)
    _, targets = corpus.windows.batch("test", 0, size=len(corpus.windows.splits["test"]) // 5, seed=0)

    class Knows(torch.nn.Module):
        def forward(self, ids):
            scores = torch.zeros(*ids.shape, corpus.tokenizer.size)
            scores[:, -1] = torch.nn.functional.one_hot(targets[:, -1], corpus.tokenizer.size)
            return scores

    assert last_right(Knows(), corpus, "test") == 1.0


@pytest.mark.slow
def test_a_small_run_trains_samples_saves_and_draws(settings: Settings, tmp_path: Path) -> None:
    events = list(run(settings, Context(folder=tmp_path)))
    golden.check(__file__, golden.of_events(events))
    assert [one.name for one in events if isinstance(one, FigureEvent)] == ["epochs", "loss", "attention"]
    said = [one.name for one in events if isinstance(one, TextEvent)]
    assert "Jerusalem ex. 5's model after epoch 2" in said and "Duke HW3's model before training" in said
    logged = {"Jerusalem ex. 5: test loss after 100,000 windows", "Jerusalem ex. 5: test loss at the end"}
    assert not any(one.name in logged for one in events if isinstance(one, Metric)), (
        "another text settles no claim about this one"
    )
    assert Checkpoints(tmp_path / "duke").steps() == [4]


@pytest.mark.slow
def test_a_run_that_was_cut_off_ends_like_one_that_was_not(settings: Settings, tmp_path: Path) -> None:
    def curve(events) -> dict[int, float]:
        return {
            one.at["step"]: one.value
            for one in events
            if isinstance(one, Metric) and one.name == "training loss, Duke HW3"
        }

    (tmp_path / "whole").mkdir()
    (tmp_path / "cut").mkdir()
    longer = replace(settings, epochs=1)
    whole = curve(run(longer, Context(folder=tmp_path / "whole")))
    first: list = []
    events = run(longer, Context(folder=tmp_path / "cut"))
    for event in events:
        first.append(event)
        if isinstance(event, Metric) and event.name == "training loss, Duke HW3" and event.at["step"] == 2:
            events.close()  # type: ignore[attr-defined]
            break
    second = curve(run(longer, Context(folder=tmp_path / "cut")))
    assert curve(first) | second == whole and min(second) == 3


@pytest.mark.slow
def test_what_a_budget_cut_off_settles_nothing(settings: Settings, monkeypatch, tmp_path: Path) -> None:
    without_figures(monkeypatch, here)
    monkeypatch.setattr(here, "load_corpus", known)
    monkeypatch.setattr(here, "EPOCH", 3)
    monkeypatch.setattr(here, "DUKE", replace(here.DUKE, depth=1, heads=2, width=16))
    end_early(monkeypatch)
    longer = replace(settings, plan=replace(settings.plan, steps=6))
    events = list(run(longer, Context(folder=tmp_path, deadline=time.monotonic() + 1000)))
    steps = {one.at["step"] for one in events if isinstance(one, Metric) and "step" in one.at}
    assert steps == set(range(1, CALIBRATION + 2))
    names = [one.name for one in events if isinstance(one, Metric) and not one.at]
    assert len(names) == len(set(names)), "nothing is measured twice"
    assert {name for name, state in states(EXPERIMENT.claims, events).items() if state != "not settled"} == {
        "gap between attention written out and the layer",
        "Duke HW3: loss before training minus ln of the number of characters",
        "Jerusalem ex. 5: test loss after 100,000 windows",
    }


def test_the_loss_after_100_000_windows_is_read_once_and_not_far_beyond_them() -> None:
    def read(epoch: int, *, last: int) -> list[int]:
        return [step for step in range(1, last + 1) if here.is_logged(step, epoch)]

    quick = EXPERIMENT.presets["quick"].epoch
    assert read(here.EPOCH, last=3 * here.EPOCH) == [here.EPOCH]
    assert read(quick, last=6 * quick) == [5 * quick]
    assert read(2 * here.EPOCH, last=4 * here.EPOCH) == []


@pytest.mark.slow
def test_the_command_under_torchrun_trains_like_one_process(settings: Settings, tmp_path: Path) -> None:
    small = ("epochs=2", "epoch=3", "plan.steps=4", "batch=2", "rows=1", "spoken=12", f"text={settings.text}")
    words = ["-m", "regard", "run", "shakespeare", *(word for pair in small for word in ("--set", pair))]
    losses = []
    for start in ([], ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]):
        place = tmp_path / f"started{len(start)}"
        place.mkdir()
        subprocess.run([sys.executable, *start, *words], cwd=place, check=True, timeout=200)
        (only,) = Store(place / "runs").runs()
        losses.append([
            one.value
            for one in only.events
            if isinstance(one, Metric) and one.name == "training loss by epoch, Jerusalem ex. 5"
        ])  # fmt: skip
    alone, together = losses
    assert len(alone) == 2
    assert together == pytest.approx(alone, abs=1e-5)


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
        lambda patch: patch.setattr(here, "speak", noise),
        {here.EPOCHS_TEACH, here.TOP_K_HELPS, here.TRAINING_TEACHES},
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
