"""Next tokens, generation and beams: held to the generation engine and to sums by hand."""

from math import exp, isclose

import pytest
import torch

from regard.generation.beam import beam_search
from regard.generation.sampling import Sampler
from regard.lab.text_model import TextModel
from regard.web.bundle import FOLDER
from regard.web.refusal import Refusal
from regard.web.worker.models import Models
from regard.web.worker.speak import beam, generate, next_token

PLACE = {"path": str(FOLDER / "models" / "shakespeare"), "kind": "text"}
ASKED = {
    "place": PLACE,
    "text": "ROMEO:\nO",
    "ids": [],
    "temperature": 0.8,
    "top_k": 5,
    "top_p": 0.9,
    "min_p": None,
}


@pytest.fixture(scope="module")
def models() -> Models:
    return Models([FOLDER])


@pytest.fixture(scope="module")
def model(models: Models) -> TextModel:
    return models.text(PLACE)


def test_the_distribution_before_and_after_the_sampler(models: Models, model: TextModel) -> None:
    found = next_token(models, ASKED)
    with torch.no_grad():
        logits = model.model(model.prompt(ASKED["text"]))[:, -1]
    p, after = logits.softmax(1)[0], Sampler(temperature=0.8, top_k=5, top_p=0.9).distribution(logits)[0]
    assert found["kept"] == int((after > 0).sum()) <= 5
    assert isclose(found["mass"], float(p[after > 0].sum()), rel_tol=1e-5)
    for row in found["distribution"]:
        assert isclose(row["p"], float(p[row["id"]]), rel_tol=1e-4)
        assert isclose(row["after"], float(after[row["id"]]), rel_tol=1e-4) and row["kept"] == (
            row["after"] > 0
        )
        assert row["token"] == model.tokenizer.decode([row["id"]])
    assert "".join(found["tokens"]) == ASKED["text"] and len(found["distribution"]) == 40


def test_ids_stand_for_their_text(models: Models) -> None:
    first = next_token(models, ASKED)
    assert next_token(models, ASKED | {"text": "", "ids": first["ids"]}) == first
    with pytest.raises(Refusal, match="no token of that id"):
        next_token(models, ASKED | {"ids": [65]})
    assert next_token(models, ASKED | {"text": ""})["tokens"] == ["\n"]


def test_generation_is_that_of_the_engine(models: Models, model: TextModel) -> None:
    steps = list(generate(models, ASKED | {"tokens": 12, "seed": 3}))
    sampler = Sampler(temperature=0.8, top_k=5, top_p=0.9)
    own = [
        int(one.ids[0])
        for one in model.speak(model.prompt(ASKED["text"]), steps=12, sampler=sampler, seeds=[3])
    ]
    assert [step["id"] for step in steps[:-1]] == own
    assert steps[-1] == {"kind": "end", "reason": "all 12 tokens are there"}
    assert all(
        step["distribution"][0]["p"] >= step["p"] > 0 and len(step["distribution"]) == 10
        for step in steps[:-1]
    )


def test_the_tree_of_a_beam_leads_to_the_best_text(models: Models, model: TextModel) -> None:
    *levels, end = beam(models, {"place": PLACE, "text": "ROMEO:\n", "beams": 3, "tokens": 4})
    nodes = {node["id"]: node for level in levels for node in level["nodes"]}
    assert [level["step"] for level in levels] == [0, 1, 2, 3] and len(nodes) == sum(
        len(one["nodes"]) for one in levels
    )
    own = beam_search(model.model, model.prompt("ROMEO:\n"), width=3, steps=4).best[0]
    assert end["best"]["text"] == model.show(own.ids)
    assert isclose(end["best"]["logp"], own.log_probability, rel_tol=1e-9)

    def text(node: dict) -> str:
        return (text(nodes[node["parent"]]) if node["parent"] >= 0 else "") + node["token"]

    last = [node for node in levels[-1]["nodes"] if node["kept"]]
    assert end["best"]["text"] in [text(node) for node in last]
    for node in nodes.values():
        if node["parent"] >= 0:
            above = nodes[node["parent"]]
            assert above["kept"] and node["logp"] <= above["logp"] + 1e-9
        assert 0 < exp(node["logp"]) <= 1
