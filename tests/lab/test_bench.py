"""The bench harness: what it times, what it refuses, what it says."""

import json
import os
import subprocess
import sys
import time
from dataclasses import asdict
from pathlib import Path

import pytest
import torch

from regard.claims import Claim
from regard.errors import RegardError
from regard.lab import bench
from regard.lab.bench import BenchMetric, Comparison, Floor, Reading

ROOT = Path(__file__).parents[2]

SPEED = Claim(name="speed-up", low=2.0, why="a planted bar", source="this test")


def comparison(
    *measured: BenchMetric, bars: tuple[Claim, ...] = (SPEED,), peers: tuple[str, ...] = ()
) -> Comparison:
    return Comparison(question="?", bars=bars, run=lambda: iter(measured), peers=peers, name="planted")


def figure(value: float | None, name: str = "speed-up", **more: object) -> BenchMetric:
    return BenchMetric(
        name=name, value=None if value is None else Reading(value, value, value, "times"), **more
    )


@pytest.mark.slow
def test_calls_are_taken_in_turn_and_the_first_rotates() -> None:
    order: list[str] = []
    calls = {name: lambda name=name: order.append(name) for name in "abc"}
    samples = bench.interleave(calls, rounds=3, warm=1, repeats=2)
    assert "".join(order) == "abc" + "aabbcc" + "bbccaa" + "ccaabb"
    assert {name: len(times) for name, times in samples.items()} == {"a": 3, "b": 3, "c": 3}


@pytest.mark.slow
def test_a_sample_is_the_seconds_of_one_call(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [0.0]

    def work() -> None:
        clock[0] += 3.0

    monkeypatch.setattr(time, "perf_counter", lambda: clock[0])
    assert bench.interleave({"work": work}, rounds=2, warm=1, repeats=5) == {"work": [3.0, 3.0]}


@pytest.mark.slow
def test_collection_is_off_while_timing_and_restored_after_a_failure() -> None:
    import gc

    seen: list[bool] = []

    def fail() -> None:
        seen.append(gc.isenabled())
        raise RuntimeError("planted")

    with pytest.raises(RuntimeError, match="planted"):
        bench.interleave({"fail": fail}, warm=0)
    assert seen == [False]
    assert gc.isenabled()


def test_the_ratio_is_of_medians_and_its_spread_of_rounds() -> None:
    reading = bench.ratio([10.0, 20.0, 30.0, 40.0, 1000.0], [10.0] * 5)
    assert reading == Reading(3.0, 2.0, 4.0, "times")


def test_the_difference_is_of_medians_and_its_spread_of_rounds() -> None:
    assert bench.difference([10.0, 20.0, 30.0, 40.0, 1000.0], [10.0] * 5) == Reading(20.0, 10.0, 30.0, "s")


def test_a_single_sample_has_no_spread() -> None:
    assert Reading.of([7.0], "bytes") == Reading(7.0, 7.0, 7.0, "bytes")


def test_equal_outputs_give_the_relative_gap() -> None:
    ours, peer = (torch.tensor([1.0, 4.0]), torch.zeros(2)), (torch.tensor([1.0, 5.0]), torch.zeros(2))
    assert bench.agree(ours, peer, within=0.21) == pytest.approx(0.2)


def test_unequal_outputs_are_refused() -> None:
    with pytest.raises(RegardError) as caught:
        bench.agree(torch.tensor([1.0, 4.0]), torch.tensor([1.0, 5.0]), within=0.1)
    assert str(caught.value) == (
        "the two sides do not compute the same thing\n"
        "  got: a relative difference of 0.2\n"
        "  fix: mend the comparison before timing it: only equal outputs may be compared"
    )


@pytest.mark.parametrize("bad", [torch.tensor([torch.nan, 1.0]), torch.tensor([[1.0], [1.0]])])
def test_not_a_number_and_another_shape_are_no_agreement(bad: torch.Tensor) -> None:
    with pytest.raises(RegardError):
        bench.agree(bad, torch.ones(2), within=10.0)


def test_the_floor_is_the_slower_of_moving_and_computing() -> None:
    assert Floor(bytes=10.0, operations=8.0, bandwidth=5.0, rate=2.0).seconds == 4.0
    assert Floor(bytes=30.0, operations=8.0, bandwidth=5.0, rate=2.0).seconds == 6.0


@pytest.mark.slow
def test_the_rates_of_the_floor_are_those_of_a_machine() -> None:
    floor = bench.floor(bytes=1e6, operations=1e6)
    assert 1e8 < floor.bandwidth < 1e13
    assert 1e8 < floor.rate < 1e15


HOLDS = """
def hold(megabytes):
    import torch
    kept = torch.ones(64 << 18)
    torch.ones(300 << 18).sum()
    return lambda: torch.ones(int(megabytes) << 18).sum() + kept[0]

def broken(size):
    raise ValueError("planted")
"""


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="no high-water mark to reset here")
def test_growth_counts_what_the_call_takes_and_not_what_was_there(tmp_path: Path) -> None:
    file = tmp_path / "holds.py"
    file.write_text(HOLDS)
    grown = bench.growth(bench._module(file).hold, 96, calls=2)
    assert grown.how == "VmHWM"
    assert grown.bytes is not None
    assert 90 << 20 < grown.bytes < 140 << 20


def test_a_failure_in_the_child_is_told(tmp_path: Path) -> None:
    file = tmp_path / "holds.py"
    file.write_text(HOLDS)
    with pytest.raises(RegardError) as caught:
        bench.growth(bench._module(file).broken, 1)
    assert str(caught.value) == (
        "'broken' failed in its own process\n"
        "  got: ValueError: planted\n"
        "  fix: call it here to see the whole trace"
    )


def test_a_bar_is_held_or_failed_by_the_median() -> None:
    states = [bench.measure(comparison(figure(value)))[0].state for value in (3.0, 1.0, None)]
    assert states == ["held", "failed", "not settled"]


def test_what_a_comparison_switches_off_is_on_again_for_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("REGARD_NATIVE", raising=False)

    def switching() -> list[BenchMetric]:
        os.environ["REGARD_NATIVE"] = "0"
        return [figure(3.0)]

    bench.measure(Comparison(question="?", bars=(), run=switching, name="planted"))
    assert "REGARD_NATIVE" not in os.environ


def test_an_open_end_of_a_band_is_no_number() -> None:
    most = Claim(name="speed-up", high=2.0, why="a planted bar", source="this test")
    (result,) = bench.measure(comparison(figure(1.0), bars=(most,)))
    assert (result.bar, result.low, result.high, result.state) == ("at most 2", None, 2.0, "held")


def test_a_bar_without_a_figure_is_not_settled() -> None:
    (result,) = bench.measure(comparison())
    assert (result.name, result.state, result.reason) == (
        "speed-up",
        "not settled",
        "nothing measured under the name 'speed-up'",
    )


def test_a_figure_without_a_bar_is_shown_and_not_judged() -> None:
    results = bench.measure(comparison(figure(3.0), figure(9.0, "sort", reason="paid once")))
    assert [(r.name, r.bar, r.state, r.reason) for r in results] == [
        ("speed-up", "at least 2", "held", ""),
        ("sort", "", "", "paid once"),
    ]


def test_a_result_is_plain_json_and_says_where_it_was_measured() -> None:
    floor = Floor(bytes=10.0, operations=0.0, bandwidth=5.0, rate=1.0)
    measured = figure(
        3.0, ours=Reading(6.0, 5.0, 7.0), peer=Reading(18.0, 17.0, 19.0), floor=floor, dtype="float32"
    )
    result = asdict(bench.measure(comparison(measured))[0])
    assert json.loads(json.dumps(result, allow_nan=False)) == result
    assert (result["comparison"], result["low"], result["high"]) == ("planted", 2.0, None)
    assert (result["floor_seconds"], result["distance"]) == (2.0, 3.0)
    assert result["threads"] == torch.get_num_threads()
    assert result["machine"]["torch"] == torch.__version__
    assert result["machine"]["cores"] >= 1
    assert result["machine"]["processor"]


def test_a_missing_peer_is_told_before_anything_runs() -> None:
    ran: list[int] = []
    without = Comparison(
        question="?", bars=(), run=lambda: ran, peers=("no_such_peer", "json"), name="planted"
    )
    with pytest.raises(RegardError) as caught:
        bench.measure(without)
    assert str(caught.value) == (
        "comparison 'planted' needs its peers\n"
        "  got: not installed: no_such_peer\n"
        "  fix: pip install regard[bench]"
    )


def test_the_folder_is_the_registry(tmp_path: Path) -> None:
    text = (
        "from regard.lab.bench import Comparison\nCOMPARISON = Comparison(question='{}', bars=(), run=list)\n"
    )
    for name in ("two_words", "first", "_hidden"):
        (tmp_path / f"{name}.py").write_text(text.format(name))
    found = bench.load(tmp_path)
    assert {name: (each.name, each.question) for name, each in found.items()} == {
        "first": ("first", "first"),
        "two-words": ("two-words", "two_words"),
    }


def test_a_file_without_a_comparison_is_told(tmp_path: Path) -> None:
    (tmp_path / "empty.py").write_text("")
    with pytest.raises(RegardError) as caught:
        bench.load(tmp_path)
    assert str(caught.value) == (
        "'empty.py' defines no comparison\n"
        "  got: None\n"
        "  fix: end the file with COMPARISON = Comparison(question=..., bars=..., run=...)"
    )


def test_our_own_comparisons_load_and_each_has_a_bar() -> None:
    found = bench.load(ROOT / "bench")
    assert {"linear-attention", "attend-overhead"} <= set(found)
    assert all(each.bars and each.question for each in found.values())


def test_loading_needs_no_torch() -> None:
    code = (
        "import sys; from pathlib import Path; from regard.lab.bench import load; "
        f"load(Path({str(ROOT / 'bench')!r})); assert 'torch' not in sys.modules"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=ROOT / "src"
    )
    assert done.returncode == 0, done.stderr
