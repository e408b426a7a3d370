"""The experiment on the karate club: a small run."""

import pytest

from regard.experiments.graphs.karate.experiment import Settings, run
from regard.lab.events import Compared, Drawn, Measured, Tabled
from regard.lab.experiment import Session


def test_a_small_run_measures_and_draws(tmp_path):
    pytest.importorskip("networkx")
    events = list(run(Settings(seeds=2, epochs=30), Session(folder=tmp_path)))
    assert [one.name for one in events if isinstance(one, Drawn)] == ["members", "training", "embedding"]
    assert [one.name for one in events if isinstance(one, Tabled)] == ["misplaced", "accuracies"]
    found = {one.name: one.value for one in events if isinstance(one, Measured)}
    assert found["gradient by hand: relative error against differences"] < 1e-7
    assert found["gap between the layer by hand and GraphConvolution"] < 1e-12
    assert sum(isinstance(one, Compared) for one in events) == 2
