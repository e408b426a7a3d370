import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from regard.experiments.text.corpus import load_corpus
from regard.experiments.text.shakespeare.experiment import Settings, last_right, run
from regard.lab.events import FigureEvent, Metric, TextEvent
from regard.lab.experiment import Context
from regard.lab.store.runs import Store
from regard.training import Checkpoints, Plan

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
    )


def test_accuracy_looks_at_the_last_character_alone(settings: Settings) -> None:
    corpus = load_corpus(settings.text, shares={"train": 0.5, "test": 0.5}, context=5)
    _, targets = next(iter(corpus.windows.cover("test", size=10_000)))

    class Knows(torch.nn.Module):
        def forward(self, ids):
            scores = torch.zeros(*ids.shape, corpus.tokenizer.size)
            scores[:, -1] = torch.nn.functional.one_hot(targets[:, -1], corpus.tokenizer.size)
            return scores

    assert last_right(Knows(), corpus, "test") == 1.0


@pytest.mark.slow
def test_a_small_run_trains_samples_saves_and_draws(settings: Settings, tmp_path: Path) -> None:
    events = list(run(settings, Context(folder=tmp_path)))
    assert [one.name for one in events if isinstance(one, FigureEvent)] == ["epochs", "loss", "attention"]
    said = [one.name for one in events if isinstance(one, TextEvent)]
    assert "Jerusalem ex. 5's model after epoch 2" in said and "Duke HW3's model before training" in said
    assert not any(one.name.startswith("Jerusalem ex. 5:") for one in events if isinstance(one, Metric)), (
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
def test_the_command_under_torchrun_trains_like_one_process(settings: Settings, tmp_path: Path) -> None:
    small = ("epochs=2", "epoch=3", "plan.steps=4", "batch=2", "rows=1", f"text={settings.text}")
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
