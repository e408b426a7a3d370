"""The loop that answers frames."""

import io

import numpy as np
import pytest

from regard.checker.process import wire
from regard.checker.process.child import answer, serve
from regard.checker.process.inside import Inside


def test_every_frame_is_answered_until_the_stream_ends() -> None:
    asked = wire.pack({"verb": "make", "values": ["f", 1, [], {}], "named": {}})
    asked += wire.pack(
        {
            "verb": "call",
            "values": [1, [np.ones(2)]],
            "named": {"named": {}, "method": "", "kind": "float64", "seed": 0},
        }
    )
    answers = io.BytesIO()
    serve(io.BytesIO(asked).read, answers.write, Inside({0: lambda x: x + 1}))
    answers.seek(0)
    assert wire.read(answers.read)["result"]["module"] is False
    assert wire.read(answers.read)["result"]["answer"].tolist() == [2.0, 2.0]


def test_what_is_raised_is_an_answer() -> None:
    said = answer(
        Inside(),
        {
            "verb": "call",
            "values": [9, []],
            "named": {"named": {}, "method": "", "kind": "float64", "seed": 0},
        },
    )
    assert said["raised"]["kind"] == "KeyError"


def test_only_the_verbs_are_done() -> None:
    assert (
        answer(Inside(), {"verb": "__init__", "values": [], "named": {}})["raised"]["kind"]
        == "AssertionError"
    )


@pytest.mark.slow
def test_what_cannot_be_sent_is_told() -> None:
    asked = wire.pack({"verb": "make", "values": ["f", 1, [], {}], "named": {}})
    asked += wire.pack(
        {
            "verb": "call",
            "values": [1, []],
            "named": {"named": {}, "method": "", "kind": "float64", "seed": 0},
        }
    )
    answers = io.BytesIO()
    serve(io.BytesIO(asked).read, answers.write, Inside({0: lambda: np.zeros(wire.BYTES)}))
    answers.seek(0)
    wire.read(answers.read)
    assert wire.read(answers.read)["raised"]["kind"] == "Unsendable"
