import os
import random
import signal
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import numpy as np
import pytest
import torch

from regard.claims import Claim
from regard.errors import RegardError, Stopped, Unreachable
from regard.lab.answer import opening
from regard.lab.console import show_outcome
from regard.lab.events import Metric, PairedMetric, ProgressEvent, TableEvent
from regard.lab.experiment import Context, Experiment
from regard.lab.ranges import Range
from regard.lab.runner import follow, resume, run, settle
from regard.lab.store import lock
from regard.lab.store.runs import Store
from regard.lab.store.writer import Writer


def conducted(experiment: Experiment, store: Store, source: Path, **words):
    return run(experiment, experiment.presets["quick"], store, source=source, **{"preset": "quick"} | words)


@pytest.mark.slow
def test_a_run_records_draws_settles_and_reports(experiment: Experiment, store: Store, source: Path) -> None:
    run = conducted(experiment, store, source)
    assert run.state == "finished"
    assert [one.value for one in run.measured if one.name == "height"] == [1.5, 1.51, 1.52]
    assert [(one.claim.name, one.state) for one in run.verdicts] == [
        ("height", "held"),
        ("gain", "held"),
        ("height at full size", "not settled"),
    ]
    assert run.verdicts[0].value == pytest.approx(1.51)
    assert (run.path / "report.html").read_text().startswith("<!doctype html>")


@pytest.mark.slow
def test_a_claim_outside_its_band_fails(experiment: Experiment, store: Store, source: Path) -> None:
    high = replace(experiment, presets={"quick": replace(experiment.presets["quick"], height=9.0)})
    assert conducted(high, store, source).verdicts[0].state == "failed"


def test_the_budget_cuts_off_and_settles_nothing(experiment: Experiment, store: Store, source: Path) -> None:
    run = conducted(experiment, store, source, minutes=1e-9)
    assert run.state == "out of time"
    assert {(one.state, one.reason) for one in run.verdicts} == {("not settled", "the budget ended first")}


def test_what_a_finished_run_had_no_time_for_is_not_settled(
    experiment: Experiment, store: Store, source: Path
) -> None:
    hurried = replace(experiment, run=lambda settings, context: iter([Metric("something else", 1.0)]))
    run = conducted(hurried, store, source, minutes=1.0)
    assert run.state == "finished"
    assert {one.state for one in run.verdicts} == {"not settled"}
    assert run.verdicts[0].reason == "not measured within the budget"
    assert "nothing measured" in conducted(hurried, store, source).verdicts[0].reason


def test_seeds_reach_python_numpy_and_torch(experiment: Experiment, store: Store, source: Path) -> None:
    def draws(settings, context):
        yield Metric("python", random.random())
        yield Metric("numpy", float(np.random.rand()))
        yield Metric("torch", torch.rand(()).item())

    drawing = replace(experiment, run=draws)
    first, again, other = (
        [one.value for one in conducted(drawing, store, source, seed=seed).measured] for seed in (3, 3, 4)
    )
    assert first == again and not set(first) & set(other)


def test_data_out_of_reach_settles_nothing_and_breaks_nothing(
    experiment: Experiment, store: Store, source: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Why it is out of reach is told once, with a remedy, in the terminal and in the report."""

    def offline(settings, context):
        raise Unreachable("the data set 'cora' is not here", "no network", "connect")
        yield

    run = conducted(replace(experiment, run=offline), store, source)
    assert run.state == "without data"
    assert {one.reason for one in run.verdicts} == {"without its data"}
    what, got, fix = run.result["error"].splitlines()
    assert (what, got) == ("the data set 'cora' is not here", "  got: no network")
    assert fix.startswith("  fix: connect; 'regard data NAME'")
    assert opening(run) == ["Nothing is settled: this was run without its data."]
    report = (run.path / "report.html").read_text()
    assert report.count("no network") == 1 and "regard data NAME" in report
    show_outcome(run)
    told = capsys.readouterr().out
    assert told.count("no network") == 1 and "fix: connect" in told


def test_an_error_in_the_experiment_is_told_in_three_lines_and_kept_whole(
    experiment: Experiment, store: Store, source: Path
) -> None:
    def breaks(settings, context):
        yield Metric("height", 1.5)
        raise ZeroDivisionError("by nothing")

    with pytest.raises(RegardError) as caught:
        conducted(replace(experiment, run=breaks), store, source)
    (run,) = store.runs()
    assert (
        caught.value.what == "the experiment stopped with an error"
        and "ZeroDivisionError: by nothing (test_runner.py, line" in caught.value.got
    )
    assert run.state == "broken" and run.measured == [Metric("height", 1.5)]
    assert "Traceback" in (run.path / "traceback.txt").read_text()


def interrupting(times: int):
    def run(settings, context):
        for seed in range(3):
            yield Metric("height", 1.5, seed)
            for _ in range(times if seed == 1 else 0):
                os.kill(os.getpid(), signal.SIGINT)
            yield ProgressEvent("on", 0.5)

    return run


def test_ctrl_c_once_stops_at_the_next_step_and_keeps_what_was_measured(
    experiment: Experiment, store: Store, source: Path
) -> None:
    seen, before = list[str](), signal.getsignal(signal.SIGINT)
    run = conducted(
        replace(experiment, run=interrupting(1)),
        store,
        source,
        watch=lambda event: seen.append(getattr(event, "what", "")),
    )
    assert run.state == "stopped" and len(run.measured) == 2
    assert any("Ctrl-C again" in text for text in seen)
    assert {one.state for one in run.verdicts} == {"not settled"}
    assert signal.getsignal(signal.SIGINT) is before


def test_ctrl_c_twice_stops_at_once_and_keeps_what_was_measured(
    experiment: Experiment, store: Store, source: Path
) -> None:
    with pytest.raises(Stopped, match="what was measured is kept"):
        conducted(replace(experiment, run=interrupting(2)), store, source)
    (run,) = store.runs()
    assert run.state == "stopped" and len(run.measured) == 2


CLAIM = Claim(name="gain", low=0.0, why="so", source="here")


@pytest.mark.parametrize(
    ("gaps", "state"),
    [((1.0, 1.1, 0.9), "held"), ((-1.0, -1.1, -0.9), "failed"), ((1.0, -1.0, 0.2), "not settled")],
)
def test_a_comparison_is_settled_by_its_whole_interval(gaps: tuple[float, ...], state: str) -> None:
    event = PairedMetric("gain", ("a", "b"), dict(enumerate(gaps)), dict.fromkeys(range(3), 0.0))
    assert settle([CLAIM], [event], preset="quick")[0].state == state


@pytest.mark.parametrize(
    ("values", "state"),
    [((1.0, 1.1, 0.9), "held"), ((-1.0, -1.1, -0.9), "failed"), ((2.0, -1.0, 0.5), "not settled")],
)
def test_a_mean_over_seeds_is_settled_by_its_whole_interval(values: tuple[float, ...], state: str) -> None:
    events = [Metric("gain", value, seed) for seed, value in enumerate(values)]
    assert settle([CLAIM], events, preset="quick")[0].state == state


def test_a_point_of_a_curve_settles_no_claim() -> None:
    assert settle([CLAIM], [Metric("gain", 1.0, 0, {"step": 1})], preset="quick")[0].state == "not settled"


def counting(settings, context):
    """Goes on from the file it left in its folder, as a training goes on from a checkpoint."""
    place = context.folder / "count"
    start = int(place.read_text()) if place.is_file() else 0
    yield Metric("start", 0.0)
    for step in range(start, 4):
        place.write_text(str(step + 1))
        yield Metric("curve", float(step), 0, {"step": step})
        if step == 1 and start == 0:
            time.sleep(0.3)
            os.kill(os.getpid(), signal.SIGINT)
        yield ProgressEvent("on", 0.5)
    yield Metric("height", 1.5)


def test_a_stopped_run_is_taken_up_where_it_was(experiment: Experiment, store: Store, source: Path) -> None:
    experiment = replace(experiment, run=counting)
    stopped = conducted(experiment, store, source)
    assert stopped.state == "stopped"
    stopped_after = stopped.result["seconds"]
    run = resume(stopped, experiment, experiment.presets["quick"], source=source)
    assert run.path == stopped.path and run.state == "finished" and run.verdicts[0].state == "held"
    assert [one.value for one in run.measured if one.name == "curve"] == [0.0, 1.0, 2.0, 3.0]
    assert sum(one.name == "start" for one in run.measured) == 1
    assert run.result["seconds"] > stopped_after > 0.3


def test_a_run_that_saved_nothing_takes_the_time_of_its_last_beginning(
    experiment: Experiment, store: Store, source: Path
) -> None:
    def measure(settings, context):
        time.sleep(naps.pop())
        yield ProgressEvent("on", 0.5)
        yield Metric("height", 1.5)

    naps, again = [0.0, 0.5], replace(experiment, run=measure)
    cut = conducted(again, store, source, minutes=1e-9)
    assert cut.state == "out of time" and cut.result["seconds"] > 0.5 and cut.result["share"] == 0.5
    run = resume(cut, again, experiment.presets["quick"], source=source)
    assert run.state == "finished" and run.result["seconds"] < 0.5 and "share" not in run.result


@pytest.mark.slow
def test_a_finished_run_is_not_taken_up(experiment: Experiment, store: Store, source: Path) -> None:
    run = conducted(experiment, store, source)
    with pytest.raises(RegardError) as caught:
        resume(run, experiment, experiment.presets["quick"], source=source)
    assert (
        str(caught.value)
        == f"this run is finished\n  got: {run.id}\n  fix: take up one that was stopped, or start anew without --resume"
    )


def test_an_experiment_that_is_cut_off_is_closed_before_the_run_is_settled(
    experiment: Experiment, store: Store, source: Path
) -> None:
    def saving(settings, context):
        try:
            while True:
                yield Metric("height", 1.5)
        finally:
            (context.folder / "saved").write_text(
                "yes" if not (context.folder / "result.json").exists() else "late"
            )

    run = conducted(replace(experiment, run=saving), store, source, minutes=1e-9)
    assert (run.path / "saved").read_text() == "yes"


def test_a_follower_runs_and_keeps_nothing(experiment: Experiment, tmp_path: Path) -> None:
    seen = []

    def watched(settings, context):
        seen.append(context.seed)
        yield Metric("height", 1.5)
        seen.append("end")

    follow(replace(experiment, run=watched), experiment.presets["quick"], Context(folder=tmp_path, seed=7))
    assert seen == [7, "end"] and list(tmp_path.iterdir()) == []


def forged(event, **fields):
    """An event as a person may make it, whose types nobody checks."""
    for name, value in fields.items():
        object.__setattr__(event, name, value)
    return event


def test_one_seed_has_no_interval_and_that_is_said_in_words() -> None:
    (single,) = settle([CLAIM], [Metric("gain", 1.0, 0)], preset="quick")
    assert (single.state, single.reason) == ("not settled", "one seed has no interval: it needs two or more")
    (exact,) = settle([CLAIM], [Metric("gain", 1.0)], preset="quick")
    assert exact.state == "held", "what has no seed is no sample"
    (verdict,) = settle([CLAIM], [PairedMetric("gain", ("a", "b"), {0: 1.0}, {0: 0.5})], preset="quick")
    assert (verdict.state, verdict.value) == ("not settled", 0.5)
    assert verdict.reason == "one seed has no interval: it needs two or more"


@pytest.mark.parametrize(
    ("event", "reason"),
    [
        ([Metric("gain", float("nan"), 0), Metric("gain", 1.0, 1)], "1 of 2 measured values is not a number"),
        ([PairedMetric("gain", ("a", "b"), {0: float("nan"), 1: float("nan")}, {0: 1.0, 1: 1.0})], "2 of 4 measured values are not a number"),
        ([PairedMetric("gain", ("a", "b"), {0: float("nan")}, {0: 1.0})], "1 of 2 measured values is not a number"),
    ],
)  # fmt: skip
def test_what_is_not_a_number_is_said_in_words(event, reason: str) -> None:
    (verdict,) = settle([CLAIM], event, preset="quick")
    assert (verdict.state, verdict.reason) == ("failed", reason)


@pytest.mark.parametrize(
    ("event", "message"),
    [
        (forged(Metric("gain", 0.0), value=torch.zeros(2)), "the measurement 'gain' is one number\n  got: a Tensor of shape (2,)\n  fix: give one number, such as its mean, or a Metric for each"),
        (forged(Metric("gain", 0.0), value=None), "the measurement 'gain' is no number\n  got: a NoneType\n  fix: give a float"),
        (PairedMetric("gain", ("a", "b"), {0: 1.0}, {1: 1.0}), "the comparison 'gain' pairs other seeds\n  got: [0] and [1]\n  fix: measure both sides under the same"),
        (PairedMetric("gain", ("a", "b"), {}, {}), "the comparison 'gain' pairs other seeds\n  got: [] and []\n  fix: measure both sides under the same"),
        (("gain", 1.0), "an experiment yields events\n  got: a tuple\n  fix: yield Metric(name, value), for one"),
        (forged(TableEvent("t", ("a",), [], ""), rows=[(object(),)]), "a log holds texts and numbers\n  got: a value of type object\n  fix: give a float or a text"),
    ],
)  # fmt: skip
def test_what_cannot_be_kept_is_told_in_three_lines(experiment: Experiment, store: Store, source: Path, event, message: str) -> None:  # fmt: skip
    strange = replace(experiment, run=lambda settings, context: iter([event]))
    with pytest.raises(RegardError) as caught:
        conducted(strange, store, source)
    assert str(caught.value) == message and store.runs() == []


def test_numbers_of_numpy_and_torch_are_numbers(experiment: Experiment, store: Store, source: Path) -> None:
    events = [
        forged(Metric("gain", 0.0), value=torch.tensor(1.5)),
        forged(Metric("height", 0.0), value=np.float32(2.5)),
        forged(TableEvent("t", ("a", "b"), [], ""), rows=[(np.int64(3), torch.tensor(4.0))]),
    ]
    done = conducted(replace(experiment, run=lambda settings, context: iter(events)), store, source)
    assert [one.value for one in done.measured] == [1.5, 2.5] and done.tables[0].rows == [[3, 4.0]]


def test_settings_are_held_to_their_ranges_before_anything_is_made(experiment: Experiment, store: Store, source: Path) -> None:  # fmt: skip
    @dataclass(frozen=True)
    class Ranged:
        seeds: Annotated[int, Range(1, 10)] = 3

    with pytest.raises(RegardError, match="the setting 'seeds' is out of range"):
        run(experiment, Ranged(seeds=0), store, source=source, preset="quick")
    assert not store.root.exists()


def test_only_one_of_two_takes_a_run_up(
    experiment: Experiment, store: Store, source: Path, monkeypatch
) -> None:
    monkeypatch.setattr(lock, "PATIENCE", 0.05)
    cut = conducted(experiment, store, source, minutes=1e-9)
    first = Writer(cut.path)
    with pytest.raises(RegardError, match="this run is running"):
        resume(cut, experiment, experiment.presets["quick"], source=source)
    first.close()


def test_a_claim_about_the_original_data_says_nothing_of_ones_own() -> None:
    claims = (Claim("gain", low=0.0, data="text"), Claim("gain", low=0.0))
    event = [Metric("gain", 1.0)]
    assert [one.state for one in settle(claims, event, preset="quick")] == ["held", "held"]
    about, any_ = settle(claims, event, preset="quick", own={"text": "mine.txt"})
    assert (about.state, about.reason) == ("not settled", "of the original data; this run has text=mine.txt")
    assert any_.state == "held"
    cut, rest = settle(claims, event, preset="quick", cut="the budget ended first", own={"text": "mine.txt"})
    assert cut.reason == "of the original data; this run has text=mine.txt"
    assert rest.reason == "the budget ended first"


@dataclass(frozen=True, kw_only=True)
class Named:
    text: str = "known"


def test_a_run_knows_which_of_its_data_is_ones_own(store: Store, source: Path) -> None:
    experiment = Experiment(
        question="?",
        claims=(Claim("gain", low=0.0, data="text"),),
        presets={"quick": Named()},
        run=lambda settings, context: iter([Metric("gain", 1.0)]),
        name="named",
    )
    for settings, state in ((Named(), "held"), (Named(text="mine.txt"), "not settled")):
        (verdict,) = run(experiment, settings, store, source=source, preset="quick").verdicts
        assert verdict.state == state
