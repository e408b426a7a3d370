"""Recorded models: the weights of a training in half the bytes, and what they say of themselves."""

from pathlib import Path

import torch

from regard.data import Character, Pictures
from regard.lab.store.runs import Store
from regard.lab.text_model import load_text_model, save_text_model
from regard.lab.vision_model import load_vision_model
from regard.models.gpt.config import GPTConfig
from regard.models.gpt.model import GPT
from regard.training import Checkpoints, TrainingState
from regard.web.recording import models
from regard.web.recording.models import record_text, record_vision
from serving import made


def test_weights_are_halved_and_the_optimiser_is_left_out(tmp_path: Path) -> None:
    run = made(Store(tmp_path / "runs"))
    config = GPTConfig(vocabulary=4, context=7, depth=1, heads=2, width=6)
    network = GPT(config)
    save_text_model(run.path / "model", config, Character("hello"))
    tensors = {f"model.{name}": one for name, one in network.state_dict().items()}
    Checkpoints(run.path / "model").save(
        TrainingState(tensors | {"optimiser.m": torch.zeros(10_000)}, {"step": 3})
    )
    about = record_text(run, tmp_path / "bundle" / "small")
    assert "regard train" in about["made"] and about["environment"]["commit"] is None
    assert about["numbers"]["height"] == 1.52
    found = load_text_model(tmp_path / "bundle", "small")
    for name, one in found.model.state_dict().items():
        assert torch.allclose(one, network.state_dict()[name], atol=1e-3), name
    (file,) = (tmp_path / "bundle" / "small").glob("*.safetensors")
    assert file.stat().st_size < 2 * sum(one.numel() for one in network.state_dict().values()) + 5000


def test_a_vision_model_is_trained_and_says_how_right_it_is(tmp_path: Path, monkeypatch) -> None:
    labels = torch.arange(200) % 10
    pictures = torch.zeros(200, 1, 28, 28, dtype=torch.uint8)
    for row, label in enumerate(labels.tolist()):
        pictures[row, 0, 2 * label : 2 * label + 4] = 200
    parts = {"train": pictures, "train_labels": labels, "test": pictures, "test_labels": labels}
    found = Pictures(name="bars", classes=tuple("0123456789"), said="bars", **parts)
    monkeypatch.setattr(models, "load_mnist", lambda: found)
    for name, value in (("STEPS", 40), ("PICTURES", 200), ("BATCH", 16)):
        monkeypatch.setattr(models, name, value)
    about = record_vision(tmp_path / "digits")
    assert "of 2,000 test digits" in about["what"] and "40 steps" in about["made"]
    model = load_vision_model(tmp_path / "digits")
    with torch.no_grad():
        scores = torch.cat([model.model(model.scaled(one.float())) for one in pictures[:20]])
    assert (scores.argmax(1) == labels[:20]).float().mean() > 0.5
