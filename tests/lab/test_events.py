import json
from math import inf, isnan, nan

import pytest

from regard.lab.events import Compared, Kept, Measured, Said, Tabled, pack, unpack

EVENTS: list[Kept] = [
    Measured("loss", 0.1, seed=2, at={"step": 3, "kind": "test"}),
    Measured("size", inf),
    Compared("gain", ("a", "b"), {0: 1.0, 1: 2.0}, {0: 0.5, 1: 0.25}),
    Tabled("t", ["x"], [[1], [None]], "c"),
    Said("s", "text"),
]


@pytest.mark.parametrize("event", EVENTS, ids=lambda event: type(event).__name__)
def test_an_event_survives_json(event: Kept) -> None:
    line = json.dumps(pack(event), allow_nan=False)
    assert unpack(json.loads(line)) == event


def test_what_is_not_a_number_survives_json() -> None:
    found = unpack(json.loads(json.dumps(pack(Measured("x", nan)), allow_nan=False)))
    assert isinstance(found, Measured) and isnan(found.value)


def test_a_comparison_reports_the_paired_difference() -> None:
    found = Compared("gain", ("a", "b"), {0: 3.0, 1: 5.0}, {0: 1.0, 1: 3.5}).difference
    assert found.mean == 1.75
