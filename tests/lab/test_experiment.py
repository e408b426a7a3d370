import time
from dataclasses import replace
from math import inf
from pathlib import Path

from regard.claims import Claim
from regard.lab.experiment import Context, Experiment


def test_without_a_budget_there_is_always_time_left(tmp_path: Path) -> None:
    assert Context(folder=tmp_path).left() == inf


def test_the_time_left_runs_out(tmp_path: Path) -> None:
    context = Context(folder=tmp_path, deadline=time.monotonic() + 10)
    assert 5 < context.left() <= 10 and Context(folder=tmp_path, deadline=time.monotonic() - 1).left() < 0


def test_the_name_that_the_registry_gives_makes_no_other_experiment(experiment: Experiment) -> None:
    assert replace(experiment, name="other") == experiment


def test_a_first_try_needs_a_question_and_a_run() -> None:
    first = Experiment(question="How high?", run=lambda settings, context: iter(()))
    assert first.claims == () and list(first.presets) == ["quick"] and first.verb == "run"
    assert Claim("height", low=1).plain() == {
        "name": "height", "why": "", "source": "", "low": 1, "preset": "quick",
        "data": "",
        "items": (),
        "says": "", "otherwise": "", "asks": "",
    }  # fmt: skip
