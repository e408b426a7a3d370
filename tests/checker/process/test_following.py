"""A call is followed through the turns of its own loops, and no further than it takes."""

import sys
from types import FunctionType
from typing import Any

import numpy as np
import pytest

from regard.checker.process import following
from regard.checker.process.following import followed, heads

TEXT = """
def count(turns):
    places = np.zeros(3)
    for turn in range(turns):
        places = places + 1.0
        for _ in range(2):
            pass
    return places


def forever():
    place = np.zeros(2)
    while True:
        place = place + 1.0
"""


def _own(name: str) -> FunctionType:
    held: dict[str, Any] = {"np": np}
    exec(compile(TEXT, "own.py", "exec"), held)
    return held[name]


def test_what_is_in_reach_is_seen_at_every_turn() -> None:
    seen = followed(lambda: _own("count")(4), "own.py", TEXT)
    turns = [held["places"][0] for line, held in seen if line == 5]
    assert turns == [0.0, 1.0, 2.0, 3.0]
    assert 7 in heads(TEXT)


def test_code_of_other_files_is_not_followed() -> None:
    assert followed(lambda: _own("count")(4), "another.py", TEXT) == []


def test_a_call_without_end_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(following, "SECONDS", 0.1)
    before = sys.gettrace()
    seen = followed(_own("forever"), "own.py", TEXT)
    assert len([line for line, _ in seen if line == 14]) == following.TURNS
    assert sys.gettrace() is before
