"""A small experiment of one's own, and a run whose model speaks, without any training."""

from pathlib import Path

import pytest
import torch

from regard.cli.main import main
from regard.data.tokens.tokenizer import Character
from regard.lab.store.runs import Store
from regard.lab.text_model import save_text_model
from regard.models.gpt.config import GPTConfig
from regard.models.gpt.model import GPT
from regard.training import Checkpoints, Plan, Training, cross_entropy

OWN = """
import os
import signal
from dataclasses import dataclass
from regard.claims import Claim
from regard.lab.book.style import panels, style
from regard.lab.events import FigureEvent, Metric, TableEvent
from regard.lab.experiment import Experiment

@dataclass(frozen=True)
class Settings:
    height: float = 2.0

def run(settings, context):
    yield Metric("height", settings.height)
    with style():
        figure, (axis,) = panels()
        axis.plot([0, 1], [0, 1])
    yield FigureEvent("line", figure, "A line.")
    if settings.height == 7:
        os.kill(os.getpid(), signal.SIGINT)
        yield Metric("more", 1.0)

EXPERIMENT = Experiment(
    question="How high?", method="", see="", claims=(Claim(name="height", low=1, high=3, why="so", source="me"),),
    presets={"quick": Settings(), "full": Settings(height=2.5)}, seconds=1, run=run,
)
"""
CONFIG = GPTConfig(vocabulary=7, context=8, depth=1, heads=2, width=8)


@pytest.fixture
def place(tmp_path: Path, monkeypatch) -> Path:
    """A folder with an experiment, a run of it that finished, one that was stopped, and a model that speaks."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("REGARD_RUNS", raising=False)
    monkeypatch.setattr("regard.cli.main.busy", lambda: False)
    (tmp_path / "coin.py").write_text(OWN)
    (tmp_path / "mine.txt").write_text("to be or not to be\n" * 20)
    (tmp_path / "long.txt").write_text("to be or not to be\n" * 60)
    assert main(["run", "coin.py"]) == 0
    assert main(["run", "coin.py", "--set", "height=7"]) == 130
    speaking()
    return tmp_path


def speaking() -> None:
    """A run of 'tales' that holds a model after one step."""
    torch.manual_seed(0)
    request = {
        "name": "tales", "preset": "quick", "changes": [], "seed": 0, "key": "k", "claims": [], "answers": [],
        "settings": {}, "environment": {}, "question": "", "method": "", "see": "", "correction": "",
        "chapter": "text", "started": "2026-01-01T00:00:00+00:00", "code": {}, "versions": {}, "source": "",
    }  # fmt: skip
    writer = Store(Path("runs")).create("tales", "quick", request)
    batch = torch.randint(7, (3, 8)), torch.randint(7, (3, 8))
    training = Training(GPT(CONFIG), lambda index: batch, cross_entropy, Plan(steps=1))
    list(training)
    save_text_model(writer.path / "small", CONFIG, Character(" benort"))
    Checkpoints(writer.path / "small").save(training.state())
    writer.finish("finished", [], seconds=1.0)
    writer.close()
