"""The experiment on borders, on a small case: every claim has its measurement."""

import time
from pathlib import Path

import pytest
import torch

import golden
from regard.experiments.images.padding.claims import BANDS
from regard.experiments.images.padding.experiment import EXPERIMENT, Settings, _alone, _spread, run
from regard.experiments.images.padding.training import Cell, Lesson, TrainedNet
from regard.lab.events import FigureEvent, Metric, PairedMetric, TableEvent
from regard.lab.experiment import Context
from regard.lab.runner import settle

SMALL = Lesson(pictures=40, held=20, batch=20, epochs=1)


@pytest.mark.slow
def test_a_small_run_measures_what_its_claims_speak_of(tmp_path: Path) -> None:
    settings = Settings(seeds=2, clean_seeds=1, net1=SMALL, net2=SMALL)
    events = list(run(settings, Context(folder=tmp_path)))
    golden.check(__file__, golden.of_events(events))
    told = {
        one.name
        for one in events
        if isinstance(one, PairedMetric) or (isinstance(one, Metric) and not one.at)
    }
    assert {claim.name for claim in EXPERIMENT.claims} <= told
    assert {one.name for one in events if isinstance(one, FigureEvent)} == {
        "patterns",
        "elements",
        "learning",
        "map",
        "rows",
    }
    tables = {one.name: one for one in events if isinstance(one, TableEvent)}
    assert [row[0] for row in tables["accuracy of Net1"].rows] == list(BANDS)
    # Exact whatever the weights are: full convolution answers the same eight pixels on, and the others do not.
    shifts = {
        one.name.partition(":")[0]: one.value
        for one in events
        if isinstance(one, Metric) and one.name.endswith("shift by 8")
    }
    assert shifts.pop("fconv") < 1e-12 and all(value > 1e-3 for value in shifts.values())


def test_the_full_preset_is_the_protocol_of_amsterdam() -> None:
    full = EXPERIMENT.presets["full"]
    assert (full.seeds, full.net1, full.net2) == (10, Lesson(), Lesson())
    assert (Lesson().pictures, Lesson().held, Lesson().batch, Lesson().epochs, Lesson().patience) == (
        2000,
        1000,
        200,
        50,
        9,
    )


@pytest.mark.proof
@pytest.mark.timeout(0)
def test_the_whole_table_holds_and_takes_less_than_fifteen_minutes_on_two_cores(tmp_path: Path) -> None:
    began, threads = time.monotonic(), torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        events = list(run(EXPERIMENT.presets["full"], Context(folder=tmp_path)))
    finally:
        torch.set_num_threads(threads)
    assert time.monotonic() - began < 900
    kept = [one for one in events if isinstance(one, Metric | PairedMetric)]
    verdicts = settle(EXPERIMENT.claims, kept, preset="full")
    assert {one.claim.name: one.state for one in verdicts if one.state != "held"} == {}


def test_the_accuracy_of_one_seed_has_no_deviation_and_says_so() -> None:
    def one(seed: int, protocol: str, test: float) -> tuple[Cell, TrainedNet]:
        return Cell("Net1", "valid", protocol, seed), TrainedNet(
            validation=100.0, test=test, together=0.0, apart=0.0, epochs=1
        )

    lone = dict([one(0, "original", 90.0), one(1, "original", 92.0), one(0, "clean", 93.8)])
    assert _spread([lone[Cell("Net1", "valid", "clean", 0)]], "test") == "93.80"
    assert (
        _spread([found for cell, found in lone.items() if cell.protocol == "original"], "test")
        == "91.00 ± 1.00"
    )
    assert _alone(lone, "Net1") == " One seed, and so no deviation: the clean protocol."
    assert _alone(lone | dict([one(1, "clean", 93.8)]), "Net1") == ""
