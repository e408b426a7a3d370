"""An order makes the run that was asked for, or says in its answer why not."""

import json

import pytest

from regard.lab import registry
from regard.lab.fanout.order import carry_out, make_task
from regard.lab.fanout.parcel import Parcel, land
from regard.lab.store import fingerprint


def order(coin, *, seed=0, key="", **changes) -> str:
    experiment, source = registry.find(str(coin))
    key = key or fingerprint.key(experiment.presets["quick"], seed=seed, source=source)
    task = make_task(experiment, source, key=key, preset="quick", changes=[], seed=seed)
    return json.dumps(json.loads(task.order) | changes)


def test_an_order_is_json_of_what_a_run_needs(coin) -> None:
    assert json.loads(order(coin, seed=3, key="k")) == {
        "experiment": str(coin), "preset": "quick", "changes": [], "seed": 3, "minutes": None, "key": "k",
    }  # fmt: skip


def test_an_experiment_of_the_package_goes_by_its_name_and_a_task_has_its_length() -> None:
    experiment, source = registry.find("one-operator")
    task = make_task(experiment, source, key="k", preset="quick", changes=["seeds=1"], seed=5, minutes=2.0)
    asked = json.loads(task.order)
    assert (asked["experiment"], asked["changes"], asked["minutes"]) == ("one-operator", ["seeds=1"], 2.0)
    assert (task.name, task.seconds, task.key) == ("one-operator, seed 5", experiment.seconds, "k")


@pytest.mark.slow
def test_the_run_comes_back_whole_under_its_own_seed(coin, store) -> None:
    asked = order(coin, seed=3)
    key = json.loads(asked)["key"]
    done = land(store, Parcel.unpack(carry_out(asked)), key)
    assert done is not None and done.state == "finished" and done.request["seed"] == 3
    assert 0.4 < done.measured[0].value < 0.6


@pytest.mark.slow
def test_a_run_that_breaks_comes_back_with_its_story(coin, store) -> None:
    asked = order(coin, seed=7)
    sent = Parcel.unpack(carry_out(asked))
    assert sent.problem.startswith("the experiment stopped with an error, ValueError: seven is bad luck")
    broken = land(store, sent, json.loads(asked)["key"])
    assert broken is not None and broken.state == "broken"
    assert "seven is bad luck" in (broken.path / "traceback.txt").read_text()


def test_another_key_is_refused_before_anything_runs(coin) -> None:
    sent = Parcel.unpack(carry_out(order(coin, key="that of other code")))
    assert sent.problem.startswith("the worker would run something else, coin:") and not sent.files


def test_an_experiment_that_is_not_there_is_told(coin) -> None:
    sent = Parcel.unpack(carry_out(order(coin, experiment="nowhere.py")))
    assert sent.problem == "no such experiment file, 'nowhere.py'" and not sent.files


def test_an_error_of_the_system_is_told_too(coin, monkeypatch) -> None:
    asked = order(coin)

    def refuse(name: str):
        raise OSError("the disk is gone")

    monkeypatch.setattr(registry, "find", refuse)
    assert Parcel.unpack(carry_out(asked)).problem == "OSError: the disk is gone"
