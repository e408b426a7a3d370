"""The bounds of every request: nothing beyond them reaches a model."""

from typing import Any

import pytest

from regard.web import inputs
from regard.web.fields import Fields
from regard.web.refusal import Refusal
from regard.web.worker import operator as worker

PICTURE = {"width": 2, "height": 2, "channels": 1, "pixels": [0, 1, 254, 255]}


def test_what_is_usual_passes() -> None:
    found = inputs.generation(Fields({"model": "m", "text": "so", "tokens": 512, "top_k": 0, "top_p": 0.9}))
    assert (found["tokens"], found["temperature"], found["min_p"], found["ids"]) == (512, 1.0, None, [])
    assert inputs.attention(Fields({"model": "m", "image": PICTURE}))["image"] == PICTURE
    assert inputs.attention(Fields({"model": "m", "text": "", "ablate": [[0, 1]]}))["ablate"] == [[0, 1]]
    assert inputs.beam(Fields({"model": "m"}))["beams"] == 4
    assert inputs.job(Fields({"experiment": "karate", "settings": {"seeds": 2}}))["preset"] == "quick"


@pytest.mark.parametrize(
    ("take", "given"),
    [
        (inputs.generation, {"tokens": 513}), (inputs.generation, {"tokens": 10**9}), (inputs.generation, {"tokens": True}),
        (inputs.generation, {"temperature": 0.0}), (inputs.generation, {"temperature": 1e9}), (inputs.generation, {"top_p": 0.0}),
        (inputs.generation, {"top_p": 1.1}), (inputs.generation, {"top_k": -1}), (inputs.generation, {"seed": 2**40}),
        (inputs.generation, {"text": "x" * 4097}), (inputs.generation, {"ids": [-1]}), (inputs.generation, {"ids": [1.5]}),
        (inputs.generation, {"ids": [0] * 5000}), (inputs.generation, {"ids": "12"}), (inputs.generation, {"n": 2}),
        (inputs.prompt, {"model": "../x"}), (inputs.prompt, {"min_p": "a"}),
        (inputs.beam, {"beams": 9}), (inputs.beam, {"beams": 0}), (inputs.beam, {"tokens": 65}),
        (inputs.attention, {}), (inputs.attention, {"text": "a", "image": PICTURE}), (inputs.attention, {"image": 3}),
        (inputs.attention, {"image": PICTURE | {"pixels": [0, 1, 2]}}), (inputs.attention, {"image": PICTURE | {"pixels": [0, 1, 2, 256]}}),
        (inputs.attention, {"image": PICTURE | {"width": 97}}), (inputs.attention, {"image": PICTURE | {"more": 1}}),
        (inputs.attention, {"text": "a", "ablate": [[0]]}), (inputs.attention, {"text": "a", "ablate": [[0, -1]]}),
        (inputs.attention, {"text": "a", "ablate": [[0, 0]] * 300}), (inputs.attention, {"text": "a", "ablate": "all"}),
    ],
)  # fmt: skip
def test_what_is_beyond_is_refused(take: Any, given: dict[str, Any]) -> None:
    with pytest.raises(Refusal) as error:
        take(Fields({"model": "m"} | given))
    assert error.value.status == 400


@pytest.mark.parametrize(
    "given",
    [
        {"preset": "huge"},
        {"settings": []},
        {"settings": {str(n): 1 for n in range(300)}},
        {"experiment": "mine.py/"},
        {"seed": -1},
    ],
)
def test_jobs_have_bounds_too(given: dict[str, Any]) -> None:
    with pytest.raises(Refusal):
        inputs.job(Fields({"experiment": "karate"} | given))


def test_the_choices_of_the_page_are_those_of_the_worker() -> None:
    assert {name: tuple(table) for name, table in worker.CHOICES.items()} == inputs.CHOICES
