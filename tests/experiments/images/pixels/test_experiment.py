"""The experiment on a handful of made-up digits."""

import pytest
import torch

from regard.experiments.images.pixels import experiment as pixels
from regard.experiments.images.pixels.digits import Digits
from regard.experiments.images.pixels.experiment import EXPERIMENT, Settings, builders, distances, run
from regard.lab.events import FigureEvent, Metric, PairedMetric, TableEvent
from regard.lab.experiment import Context


def few(pictures: int, tests: int) -> tuple[Digits, str]:
    labels = torch.arange(pictures) % 10
    shown = torch.randn(pictures, 1, 28, 28, generator=torch.Generator().manual_seed(0))
    return Digits(shown, labels, shown[:tests], labels[:tests]), "Made up."


SMALL = Settings(
    pictures=20, tests=10, steps=2, batch=3, seeds=2, width=8, depth=2, shifts=(0, 4), angles=(0, 90)
)


def test_a_small_run_measures_every_claim_and_draws(tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pixels, "load", few)
    events = list(run(SMALL, Context(folder=tmp_path)))
    named = {
        one.name
        for one in events
        if isinstance(one, PairedMetric) or (isinstance(one, Metric) and not one.at)
    }
    assert {claim.name for claim in EXPERIMENT.claims} <= named
    drawn = [one.name for one in events if isinstance(one, FigureEvent)]
    assert drawn == ["changes", "looks", "local looks", "places", "filter"]
    (table,) = (one for one in events if isinstance(one, TableEvent))
    assert [row[0] for row in table.rows] == ["CNN", "all patches", "3 × 3 patches", "no positions"]
    exact = {one.name: one.value for one in events if isinstance(one, Metric)}
    assert exact["largest gap between nine heads and the CNN's convolution"] < 1e-12
    assert exact["largest change under a shift by a patch, no positions"] < 1e-12


def test_the_budgets_are_within_a_tenth_of_each_other() -> None:
    sizes = [sum(p.numel() for p in make().parameters()) for make in builders(Settings()).values()]
    assert max(sizes) / min(sizes) < 1.1


def test_a_head_that_looks_next_door_looks_one_patch_far() -> None:
    weights = torch.zeros(2, 6, 6)
    weights[0] = torch.eye(6)
    for cell in range(6):
        weights[1, cell, cell + 1 if cell % 3 < 2 else cell - 1] = 1
    assert distances(weights, (2, 3)).tolist() == [0.0, 1.0]
