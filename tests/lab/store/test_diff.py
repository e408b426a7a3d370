from dataclasses import replace

import pytest

from regard.lab.runner import run
from regard.lab.store.diff import Change, changes


def test_two_equal_runs_differ_in_their_seconds_alone(experiment, store, source) -> None:
    first, second = (
        run(experiment, experiment.presets["quick"], store, source=source, preset="quick") for _ in range(2)
    )
    assert {(one.kind, one.name) for one in changes(first, second)} <= {("run", "seconds")}


@pytest.mark.slow
def test_settings_numbers_and_verdicts_that_differ_are_told(experiment, store, source) -> None:
    quick = experiment.presets["quick"]
    first = run(experiment, quick, store, source=source, preset="quick")
    second = run(
        experiment, replace(quick, height=3.0), store, source=source, preset="quick", changes=["height=3"]
    )
    found = {(one.kind, one.name): one for one in changes(first, second)}
    assert found["setting", "height"] == Change("setting", "height", 1.5, 3.0)
    assert found["claim", "height"] == Change("claim", "height", "held", "failed")
    assert abs(found["number", "height"].second - 3.01) < 1e-9
