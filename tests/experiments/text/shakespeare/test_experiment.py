import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import torch

import golden
import own_words
from regard.experiments.text.corpus import load_corpus
from regard.experiments.text.shakespeare import experiment as here
from regard.experiments.text.shakespeare.experiment import EXPERIMENT, Settings, last_right, run
from regard.lab.events import FigureEvent, Metric, TextEvent
from regard.lab.experiment import Context
from regard.lab.store.runs import Store
from regard.training import ALONE, Checkpoints, Plan

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


def test_the_method_is_true_of_any_number_of_epochs() -> None:
    assert "for ten epochs" not in EXPERIMENT.method and "as many epochs as are set" in EXPERIMENT.method
    assert {one.epochs for one in EXPERIMENT.presets.values()} == {10}, "ten in both presets"


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
    own_words.check("shakespeare", events)
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


@pytest.mark.parametrize("model", ["jerusalem", "duke"])
def test_a_model_is_trained_on_the_device_that_is_asked_for(
    model: str, settings, monkeypatch, tmp_path
) -> None:
    """The device that keeps no numbers serves: a training there ends before its first step."""
    small = load_corpus(settings.text, shares={"train": 0.9, "test": 0.1}, context=8)
    monkeypatch.setattr(here, "find_device", lambda name: torch.device({"another": "meta"}[name]))
    monkeypatch.setattr(here, "DUKE", replace(here.DUKE, context=8))
    asked = replace(settings, device="another")
    words = (asked, Context(folder=tmp_path), small, False, ALONE, Checkpoints(tmp_path / model))
    with pytest.raises(RuntimeError, match="'meta'"):
        list(getattr(here, f"_{model}")(*words))
