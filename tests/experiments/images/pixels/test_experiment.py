"""The experiment on a handful of made-up digits."""

import pytest
import torch

from regard.data.sets.images import Pictures
from regard.experiments.images.pixels import experiment as pixels
from regard.experiments.images.pixels.experiment import (
    EXPERIMENT,
    Digits,
    Settings,
    accuracy,
    builders,
    distances,
    load,
    run,
)
from regard.lab.events import FigureEvent, Metric, PairedMetric, TableEvent
from regard.lab.experiment import Context


def few() -> Pictures:
    draw = torch.Generator().manual_seed(0)
    labels = torch.arange(20) % 10
    shown = torch.randint(256, (20, 1, 28, 28), generator=draw, dtype=torch.uint8)
    return Pictures(
        name="few",
        train=shown,
        train_labels=labels,
        test=shown,
        test_labels=labels,
        classes=tuple("0123456789"),
        said="Made up.",
    )


SMALL = Settings(
    pictures=20, tests=10, steps=2, batch=3, seeds=2, width=8, depth=2, shifts=(0, 4), angles=(0, 90)
)


def test_a_small_run_measures_every_claim_and_draws(tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pixels, "load_digits", few)
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


def test_a_batch_is_a_function_of_seed_and_number() -> None:
    digits = Digits(
        torch.arange(50.0).view(-1, 1, 1, 1), torch.arange(50), torch.zeros(1, 1, 1, 1), torch.zeros(1).long()
    )
    first, again, other = (digits.batches(8, seed)(3)[1] for seed in (1, 1, 2))
    assert torch.equal(first, again) and not torch.equal(first, other)
    assert torch.equal(*(one.flatten().long() for one in digits.batches(8, 1)(3)))
    assert not torch.equal(first, digits.batches(8, 1)(4)[1])


def test_digits_have_mean_zero_and_variance_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pixels, "load_digits", few)
    digits, said = load(Settings(pictures=20, tests=4))
    assert said == "Made up." and len(digits.test) == 4
    assert abs(float(digits.train.mean())) < 1e-5 and abs(float(digits.train.std()) - 1) < 1e-5


def test_a_head_that_looks_next_door_looks_one_patch_far() -> None:
    weights = torch.zeros(2, 6, 6)
    weights[0] = torch.eye(6)
    for cell in range(6):
        weights[1, cell, cell + 1 if cell % 3 < 2 else cell - 1] = 1
    assert distances(weights, (2, 3)).tolist() == [0.0, 1.0]


def test_accuracy_counts_what_is_right() -> None:
    scores = torch.eye(4)
    assert accuracy(torch.nn.Identity(), scores, torch.tensor([0, 1, 0, 3])) == 0.75
