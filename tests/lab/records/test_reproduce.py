"""A recorded run made again."""

from dataclasses import dataclass, replace
from typing import Annotated

import pytest

from regard.errors import RegardError
from regard.lab import registry
from regard.lab.ranges import Device
from regard.lab.records import record as kept
from regard.lab.records.record import RecordedNumber, record, records
from regard.lab.records.reproduce import compare, overlap, recorded, reproduce, stale
from regard.lab.runner import run


@pytest.fixture(autouse=True)
def known(monkeypatch, experiment):
    monkeypatch.setattr(registry, "names", lambda names=registry.names(): [*names, experiment.name])


@pytest.fixture
def before(experiment, store, source, tmp_path):
    done = run(experiment, experiment.presets["full"], store, source=source, preset="full")
    record(done, tmp_path)
    return records(tmp_path)["heights"]


@dataclass(frozen=True, kw_only=True)
class Placed:
    """Settings of a machine with a GPU."""

    seeds: int = 5
    height: float = 1.5
    device: Annotated[str, Device()] = "cuda"


def again(experiment, store, source, **changes):
    settings = replace(experiment.presets["full"], **changes)
    return run(experiment, settings, store, source=source, preset="full")


def test_the_same_run_agrees_in_every_number_and_verdict(before, experiment, store, source):
    assert {one.agrees for one in compare(before, again(experiment, store, source))} == {True}


def test_another_height_differs_in_its_number_and_in_its_verdict(before, experiment, store, source):
    off = [
        one.name for one in compare(before, again(experiment, store, source, height=1.9)) if not one.agrees
    ]
    assert off == ["height", "claim: height"]


def test_what_is_no_longer_measured_differs(before, experiment, store, source):
    fewer = replace(experiment, run=lambda settings, context: iter(()))
    found = {one.name: one for one in compare(before, again(fewer, store, source))}
    assert found["height"].now == "not measured" and not found["height"].agrees


@pytest.mark.parametrize(
    ("second", "agrees"),
    [
        (RecordedNumber(1.3, 1.15, 1.45, 3), True),
        (RecordedNumber(1.5, 1.35, 1.65, 3), False),
        (RecordedNumber(1.01, None, None, 1), True),
        (RecordedNumber(1.1, None, None, 1), False),
        (None, False),
    ],
)
def test_intervals_agree_where_they_overlap_and_single_numbers_where_they_are_near(second, agrees):
    assert overlap(RecordedNumber(1.0, 0.8, 1.2, 3), second) is agrees


def test_an_unknown_record_is_told_in_three_lines():
    with pytest.raises(RegardError, match="no recorded run of that name"):
        recorded("nonsense")


def test_a_record_of_the_package_is_made_again_and_agrees(monkeypatch, store, tmp_path):
    experiment, source = registry.find("theory-positions")
    record(run(experiment, experiment.presets["quick"], store, source=source, preset="quick"), tmp_path)
    found = {"theory-positions": records(tmp_path)["theory-positions"]}
    monkeypatch.setattr("regard.lab.records.reproduce.records", lambda: found)
    assert stale() == {}
    assert reproduce("theory-positions", store, watch=lambda event: None).agrees
    changed = replace(
        found["theory-positions"], code={**found["theory-positions"].code, "claims.py": "before"}
    )
    monkeypatch.setattr("regard.lab.records.reproduce.records", lambda: {"theory-positions": changed})
    assert stale() == {"theory-positions": ["claims.py"]}
    assert kept.FOLDER.name == "results"


def test_a_record_of_a_gpu_is_made_again_on_a_cpu(monkeypatch, before, experiment, store, source):
    """As fairy-tales: its full preset, and so its record, names cuda, which this machine may not have."""
    made_of = replace(experiment, presets={"full": Placed()})
    monkeypatch.setattr(registry, "find", lambda name: (made_of, source))
    monkeypatch.setattr(
        "regard.lab.records.reproduce.records", lambda: {"heights": replace(before, devices=("device",))}
    )
    found = reproduce("heights", store, elsewhere=["device=cpu"], watch=lambda event: None)
    assert found.agrees and found.run.request["settings"]["device"] == "cpu"
    assert found.run.resized == [] and found.run.request["changes"] == ["device=cpu"]
