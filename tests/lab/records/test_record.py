"""Records of runs: what they keep, and what they refuse."""

import json
from dataclasses import dataclass, replace
from typing import Annotated

import pytest

from regard.errors import RegardError
from regard.files import Damaged
from regard.lab import registry
from regard.lab.ranges import Device
from regard.lab.records.record import FOLDER, record, records
from regard.lab.runner import run
from regard.lab.settings import change


@pytest.fixture(autouse=True)
def known(monkeypatch, experiment):
    monkeypatch.setattr(registry, "names", lambda names=registry.names(): [*names, experiment.name])


@pytest.fixture
def made(experiment, store, source):
    def make(changes=(), seeds=5, **words):
        settings = replace(experiment.presets["full"], seeds=seeds)
        return run(experiment, settings, store, source=source, preset="full", changes=changes, **words)

    return make


def test_a_record_keeps_values_intervals_verdicts_and_where_they_come_from(made, tmp_path):
    done = made()
    place = record(done, tmp_path)
    assert place == tmp_path / "heights.json"
    found = records(tmp_path)["heights"]
    assert found.numbers["height"].mean == pytest.approx(1.52) and found.numbers["height"].count == 5
    assert found.numbers["height"].low < 1.52 < found.numbers["height"].high
    assert found.claims["height"].state == "held" and found.claims["height"].value == pytest.approx(1.52)
    assert found.claims["height at full size"].reason.startswith("nothing measured")
    assert (found.size, found.seed, found.date) == ("full", 0, done.request["started"][:10])
    assert found.items == {6: "held"} and found.environment["torch"] and found.seconds >= 0
    assert found.settings == done.request["settings"]


def test_what_was_run_at_a_smaller_size_does_not_settle_what_needs_the_full_one(experiment, made, tmp_path):
    done = made(changes=["seeds=2"], seeds=2)
    place = record(done, tmp_path)
    found = records(tmp_path)["heights"]
    assert found.size == "full with seeds=2"
    assert found.claims["height at full size"].state == "not settled"
    assert found.claims["height at full size"].reason == "run at a smaller size: seeds=2"
    assert found.claims["height"].state == "held" and place.exists()


@pytest.mark.parametrize("name", ["core/attend.py", "core/gone.py"])
def test_a_run_of_other_code_is_not_recorded(made, tmp_path, monkeypatch, name):
    done = made()
    request = done.request | {"code": done.request["code"] | {name: "0123456789abcdef"}}
    monkeypatch.setattr(type(done), "request", property(lambda self: request))
    with pytest.raises(RegardError, match=f"the code has changed since this run was made\n  got: {name}\n"):
        record(done, tmp_path)
    assert not list(tmp_path.glob("*.json"))


def test_only_a_finished_run_is_recorded(made, tmp_path):
    with pytest.raises(RegardError, match="only a finished run can be recorded"):
        record(made(minutes=1e-9), tmp_path)
    assert not list(tmp_path.glob("*.json"))


def test_a_run_of_ones_own_experiment_is_not_recorded(monkeypatch, made, tmp_path):
    monkeypatch.setattr(registry, "names", lambda: ["karate"])
    with pytest.raises(RegardError, match="only what comes with the package has a record"):
        record(made(), tmp_path)


def test_a_record_that_was_changed_by_hand_is_refused(made, tmp_path):
    place = record(made(), tmp_path)
    place.write_text(place.read_text().replace('"held"', '"failed"'))
    records.cache_clear()
    with pytest.raises(Damaged):
        records(tmp_path)


def test_a_record_knows_which_files_have_changed_since(made, tmp_path):
    record(made(), tmp_path)
    found = records(tmp_path)["heights"]
    assert found.changed(found.code) == [] and "claims.py" in found.code
    assert found.changed(dict(found.code) | {"claims.py": "another", "new.py": "x"}) == [
        "claims.py",
        "new.py",
    ]


def test_every_record_of_the_package_is_whole_small_and_of_an_experiment():
    found = records()
    assert set(found) <= set(registry.names())
    for path in FOLDER.glob("*.json"):
        assert path.stat().st_size < 60_000, path.name
        assert "/root/" not in path.read_text() and "/work/" not in path.read_text()
        json.loads(path.read_text())


@dataclass(frozen=True, kw_only=True)
class Placed:
    """Settings of which one says where."""

    seeds: int = 5
    height: float = 1.5
    device: Annotated[str, Device()] = "cuda"


@pytest.fixture
def placed(experiment, store, source):
    def make(*changes):
        settings = change(Placed(), changes)
        return run(
            replace(experiment, presets={"full": Placed()}), settings, store, source=source, preset="full",
            changes=changes,
        )  # fmt: skip

    return make


def test_another_device_is_no_smaller_size(placed, tmp_path):
    """What is measured is the same, wherever it was computed; the record says where."""
    record(placed("device=cpu"), tmp_path)
    found = records(tmp_path)["heights"]
    assert found.claims["height at full size"].reason.startswith("nothing measured")
    assert found.size == "full with device=cpu" and found.full
    assert (found.changes, found.settings["device"]) == (("device=cpu",), "cpu")


def test_a_smaller_size_on_another_device_is_told_without_the_device(placed, tmp_path):
    record(placed("device=cpu", "seeds=2"), tmp_path)
    found = records(tmp_path)["heights"]
    assert found.claims["height at full size"].reason == "run at a smaller size: seeds=2"
    assert found.size == "full with device=cpu, seeds=2" and not found.full
