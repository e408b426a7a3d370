"""Models by their pages: sizes and parameters without loading them."""

import json

import pytest
import torch

from regard.data import Character
from regard.lab.store.models import FILE, StoredModel, parameters, stored_models
from regard.lab.text_model import save_text_model
from regard.lab.vision_model import save_vision_model
from regard.models.gpt.config import GPTConfig
from regard.models.gpt.model import GPT
from regard.models.vit import PatchTransformer, Sight
from regard.training import Checkpoints, TrainingState

CONFIG = GPTConfig(vocabulary=5, context=7, depth=2, heads=2, width=6)


@pytest.fixture
def folder(tmp_path):
    text = tmp_path / "run" / "model"
    save_text_model(text, CONFIG, Character("hello"))
    tensors = {f"model.{name}": one for name, one in GPT(CONFIG).state_dict().items()}
    Checkpoints(text).save(TrainingState(tensors | {"optimiser.m": torch.zeros(99)}, {"step": 1}))
    save_vision_model(
        tmp_path / "run" / "eyes", PatchTransformer(Sight(side=8, width=8, depth=1)), "0123456789", 1.0, 2.0
    )
    return tmp_path / "run"


def test_sizes_and_parameters_are_those_of_the_model(folder) -> None:
    text, vision = stored_models(folder)
    assert (text.kind, vision.kind) == ("text", "vision")
    assert text.sizes() == {
        "context": 7, "vocabulary": 5, "layers": 2, "heads": 2,
        "parameters": sum(one.numel() for one in GPT(CONFIG).state_dict().values()),
    }  # fmt: skip
    found = vision.sizes()
    assert (found["side"], found["context"], found["classes"]) == (8, 4, list("0123456789"))


def test_a_damaged_model_says_so(folder) -> None:
    (folder / "model" / FILE).write_text("{}")
    assert "damaged" in StoredModel(folder / "model", "text").sizes()["problem"]


def test_without_a_sound_checkpoint_nobody_knows_how_many(folder, tmp_path) -> None:
    assert parameters(tmp_path) is None
    (file,) = (folder / "model").glob("*.safetensors")
    for content in (
        b"",
        b"\xff" * 8,
        (9).to_bytes(8, "little") + b"{nonsense",
        (2**60).to_bytes(8, "little") + b"{}",
    ):
        file.write_bytes(content)
        assert parameters(folder / "model") in (None, 0)
    file.write_bytes((20).to_bytes(8, "little") + json.dumps({"model.a": 3}).encode())
    assert parameters(folder / "model") is None
