"""A vision model written down and read again gives the same answers."""

import pytest
import torch

from regard.errors import RegardError
from regard.lab.store.models import VISION_FILE
from regard.lab.vision_model import load_vision_model, save_vision_model
from regard.models.vit import PatchTransformer, Sight


def test_it_comes_back_with_its_scale_and_classes(tmp_path) -> None:
    model = PatchTransformer(Sight(side=8, width=8, depth=2, classes=3)).eval()
    save_vision_model(tmp_path / "eyes", model, ("a", "b", "c"), 100.0, 50.0)
    found = load_vision_model(tmp_path / "eyes")
    assert found.classes == ("a", "b", "c")
    pixels = torch.randint(0, 256, (1, 8, 8)).float()
    assert torch.equal(found.scaled(pixels), (pixels[None] - 100) / 50)
    with torch.no_grad():
        assert torch.equal(found.model(found.scaled(pixels)), model(found.scaled(pixels)))


def test_damage_and_absence_are_told(tmp_path) -> None:
    with pytest.raises(RegardError, match="damaged"):
        load_vision_model(tmp_path)
    save_vision_model(tmp_path, PatchTransformer(Sight(side=8, width=8, depth=1)), "0123456789", 0.0, 1.0)
    for file in tmp_path.glob("step-*"):
        file.unlink()
    with pytest.raises(RegardError, match="has not saved its model"):
        load_vision_model(tmp_path)
    (tmp_path / VISION_FILE).write_text("{}")
    with pytest.raises(RegardError, match="damaged"):
        load_vision_model(tmp_path)
