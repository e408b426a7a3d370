"""Recorded graphs: attention that sums to one, and a training that learns something."""

import pytest

from regard.web.bundle import Bundled
from regard.web.recording import graphs
from regard.web.recording.graphs import record_karate


@pytest.mark.slow
def test_karate_is_recorded_anew_as_it_is_shipped(monkeypatch) -> None:
    monkeypatch.setattr(graphs, "MOMENTS", (0, 1, 2))
    found, shipped = record_karate(), Bundled().graphs["karate"]
    assert found["edges"] == shipped["edges"] and [one["id"] for one in found["nodes"]] == list(range(34))
    for moment, before in zip(found["epochs"], shipped["epochs"][:3], strict=True):
        assert moment["accuracy"] == before["accuracy"]
        for layer, own in zip(moment["layers"], before["layers"], strict=True):
            for head, weights in zip(layer["heads"], own["heads"], strict=True):
                assert head == pytest.approx(weights, abs=2e-2)


def test_both_say_how_they_were_made() -> None:
    for graph in Bundled().graphs.values():
        assert "seed 0" in graph["made"] and "epochs" in graph["made"]
