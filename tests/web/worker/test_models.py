"""Models in memory: loaded once, read anew where their files changed, the last few kept."""

import shutil
from pathlib import Path

import pytest

from regard.lab.text_model import TextModel
from regard.lab.vision_model import save_vision_model
from regard.models.vit import PatchTransformer, Sight
from regard.web.bundle import FOLDER
from regard.web.refusal import Refusal
from regard.web.worker import models as module
from regard.web.worker.models import Models

TEXT = {"path": str(FOLDER / "models" / "shakespeare"), "kind": "text"}


def test_a_model_is_loaded_once_and_the_last_few_stay(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(module, "KEPT", 2)
    places = []
    for name in "abc":
        save_vision_model(
            tmp_path / name, PatchTransformer(Sight(side=8, width=8, depth=1)), "0123456789", 0.0, 1.0
        )
        places.append({"path": str(tmp_path / name), "kind": "vision"})
    models = Models([tmp_path])
    first = [models.load(place) for place in places]
    assert models.load(places[2]) is first[2] and models.load(places[1]) is first[1]
    assert models.load(places[0]) is not first[0]
    shutil.rmtree(tmp_path / "b")
    save_vision_model(
        tmp_path / "b", PatchTransformer(Sight(side=8, width=8, depth=1)), "0123456789", 0.0, 1.0
    )
    assert models.load(places[1]) is not first[1]


def test_only_what_lies_under_the_roots_is_loaded(tmp_path: Path) -> None:
    assert isinstance(Models([FOLDER]).text(TEXT), TextModel)
    for path in (TEXT["path"], str(tmp_path / ".." / "x"), "/"):
        with pytest.raises(Refusal) as error:
            Models([tmp_path / "runs"]).load({"path": path, "kind": "text"})
        assert error.value.status == 403


def test_a_picture_model_reads_no_text(tmp_path: Path) -> None:
    save_vision_model(
        tmp_path / "v", PatchTransformer(Sight(side=8, width=8, depth=1)), "0123456789", 0.0, 1.0
    )
    with pytest.raises(Refusal, match="pictures"):
        Models([tmp_path]).text({"path": str(tmp_path / "v"), "kind": "vision"})
