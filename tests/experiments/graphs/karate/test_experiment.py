"""The experiment on the karate club: a small run."""

import pytest

import golden
from regard.experiments.graphs.karate.experiment import Settings, run
from regard.lab.events import FigureEvent, Metric, PairedMetric, TableEvent
from regard.lab.experiment import Context


def test_a_small_run_measures_and_draws(tmp_path):
    pytest.importorskip("networkx")
    events = list(run(Settings(seeds=2, epochs=30), Context(folder=tmp_path)))
    golden.check(__file__, golden.of_events(events))
    assert [one.name for one in events if isinstance(one, FigureEvent)] == [
        "members",
        "training",
        "embedding",
    ]
    assert [one.name for one in events if isinstance(one, TableEvent)] == ["misplaced", "accuracies"]
    found = {one.name: one.value for one in events if isinstance(one, Metric)}
    assert found["gradient by hand: relative error against differences"] < 1e-7
    assert found["gap between the layer by hand and GraphConvolution"] < 1e-12
    assert sum(isinstance(one, PairedMetric) for one in events) == 2
