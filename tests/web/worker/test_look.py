"""Attention of the shipped model: the weights of a forward pass, heads off as a loop would take them off."""

import base64
from itertools import pairwise
from pathlib import Path

import numpy
import pytest
import torch

from regard.core.trace import trace
from regard.lab.text_model import TextModel
from regard.lab.vision_model import save_vision_model
from regard.models.vit import PatchTransformer, Sight
from regard.web.bundle import FOLDER
from regard.web.refusal import Refusal
from regard.web.worker.look import look, predicted, without
from regard.web.worker.models import Models

PLACE = {"path": str(FOLDER / "models" / "shakespeare"), "kind": "text"}
ASKED = {"place": PLACE, "name": "shakespeare", "text": "ROMEO: what", "image": {}, "ablate": []}


@pytest.fixture(scope="module")
def models() -> Models:
    return Models([FOLDER])


@pytest.fixture(scope="module")
def model(models: Models) -> TextModel:
    return models.text(PLACE)


def test_the_weights_are_those_of_a_forward_pass(models: Models, model: TextModel) -> None:
    document = look(models, ASKED)
    n, layers, heads = document["n"], document["layers"], document["heads"]
    back = numpy.frombuffer(base64.b64decode(document["weights"]), "<f2").reshape(layers, heads, n, n)
    with torch.no_grad(), trace(model.model) as seen:
        logits = model.model(model.prompt(ASKED["text"]))
    own = torch.stack([one[0].weights[0] for one in seen.looks.values()])
    numpy.testing.assert_allclose(back, own.numpy(), atol=1e-3)
    numpy.testing.assert_allclose(back.astype(float).sum(-1), 1, atol=2e-3)
    assert "".join(document["tokens"]) == ASKED["text"] and document["before"] is None
    best = logits[0, -1].softmax(0)
    assert abs(document["next"][0]["p"] - float(best.max())) < 1e-6
    assert document["next"][0]["token"] == model.tokenizer.decode([int(best.argmax())])


def test_a_head_that_is_off_gives_nothing_and_only_that_head(models: Models, model: TextModel) -> None:
    ids = model.prompt("To be, or not")
    block = model.model.get_submodule("blocks.1.attention")
    assert isinstance(block.out, torch.nn.Linear)
    width = model.model.config.head_width
    weight = block.out.weight.detach().clone()
    with torch.no_grad():
        with without(model.model, [(1, 2)]):
            ours = model.model(ids)
        block.out.weight[:, 2 * width : 3 * width] = 0  # the same, written into the weights
        expected = model.model(ids)
        block.out.weight.copy_(weight)
    assert torch.allclose(ours, expected, atol=1e-5)
    assert not torch.allclose(ours, model.model(ids), atol=1e-3)
    document = look(models, ASKED | {"ablate": [[1, 2], [0, 0]]})
    assert document["before"] == look(models, ASKED)["next"] != document["next"]


def test_no_such_head_is_told(models: Models) -> None:
    for pair in ([4, 0], [0, 4]):
        with pytest.raises(Refusal, match="no such head"):
            look(models, ASKED | {"ablate": [pair]})


def test_a_long_text_is_cut_with_a_sentence_and_odd_characters_are_left_out(models: Models) -> None:
    document = look(models, ASKED | {"text": "abc \u4e16" * 100})
    assert document["n"] == 128 and "\u4e16" not in document["tokens"]
    assert document["notes"] == ["the text has 400 tokens; the last 128 of them are read"]


def test_a_picture_is_looked_at_by_patches(tmp_path: Path) -> None:
    torch.manual_seed(0)
    network = PatchTransformer(Sight(side=8, patch=4, width=8, depth=2, heads=2, channels=3)).eval()
    save_vision_model(tmp_path / "v", network, "0123456789", 100.0, 50.0)
    models, place = Models([tmp_path]), {"path": str(tmp_path / "v"), "kind": "vision"}
    pixels = torch.randint(0, 256, (8, 8, 3))
    image = {"width": 8, "height": 8, "channels": 3, "pixels": pixels.flatten().tolist()}
    document = look(models, {"place": place, "name": "v", "text": None, "image": image, "ablate": [[1, 0]]})
    assert document["grid"] == {"rows": 2, "columns": 2} and (document["layers"], document["heads"]) == (2, 2)
    with torch.no_grad():
        scores = network((pixels.permute(2, 0, 1)[None].float() - 100) / 50)[0].softmax(0)
    assert document["before"][0]["token"] == str(int(scores.argmax()))
    assert abs(document["before"][0]["p"] - float(scores.max())) < 1e-5
    for change in ({"width": 4, "height": 16}, {"channels": 1, "pixels": [0] * 64}):
        with pytest.raises(Refusal, match="another size"):
            look(models, {"place": place, "name": "v", "text": None, "image": image | change, "ablate": []})
    with pytest.raises(Refusal, match="looks at pictures"):
        look(models, {"place": place, "name": "v", "text": "a", "image": {}, "ablate": []})


def test_predictions_are_probabilities(model: TextModel) -> None:
    found = predicted(model, model.prompt("ROMEO"))
    assert all(a["p"] >= b["p"] for a, b in pairwise(found)) and 0 < sum(one["p"] for one in found) <= 1
