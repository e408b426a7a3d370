import json
from math import inf, isnan, nan

import pytest

from regard.lab.events import Kept, Metric, PairedMetric, TableEvent, TextEvent, pack, unpack

EVENTS: list[Kept] = [
    Metric("loss", 0.1, seed=2, at={"step": 3, "kind": "test"}),
    Metric("size", inf),
    PairedMetric("gain", ("a", "b"), {0: 1.0, 1: 2.0}, {0: 0.5, 1: 0.25}),
    TableEvent("t", ["x"], [[1], [None]], "c"),
    TextEvent("s", "text"),
]


@pytest.mark.parametrize("event", EVENTS, ids=lambda event: type(event).__name__)
def test_an_event_survives_json(event: Kept) -> None:
    line = json.dumps(pack(event), allow_nan=False)
    assert unpack(json.loads(line)) == event


def test_what_is_not_a_number_survives_json() -> None:
    found = unpack(json.loads(json.dumps(pack(Metric("x", nan)), allow_nan=False)))
    assert isinstance(found, Metric) and isnan(found.value)


def test_a_comparison_reports_the_paired_difference() -> None:
    found = PairedMetric("gain", ("a", "b"), {0: 3.0, 1: 5.0}, {0: 1.0, 1: 3.5}).difference
    assert found.mean == 1.75
