"""The Gaussian mixtures of Jerusalem ex. 5: starts, the printed formula, and a small run on made-up places."""

from pathlib import Path

import pytest
import torch

from regard.data.sets.places import arrange
from regard.experiments.unsupervised import mixtures
from regard.experiments.unsupervised.europe import Europe
from regard.experiments.unsupervised.mixtures import (
    EXPERIMENT,
    Settings,
    begin,
    climb,
    learn,
    printed_variance,
    run,
)
from regard.lab.book.style import picture
from regard.lab.events import FigureEvent, Metric, PairedMetric
from regard.lab.experiment import Context

SMALL = Settings(countries=3, components=(1, 2), epochs=2, batches=3, seeds=2, steps=5)


@pytest.fixture
def europe() -> Europe:
    generator = torch.Generator().manual_seed(0)
    points = torch.randn(270, 2, generator=generator).tolist()
    homes = {"DE": (10, 51), "FR": (2, 47), "IT": (12, 42)}
    codes = [code for code in homes for _ in range(90)]
    rows = [(homes[c][0] + x, homes[c][1] + y, c) for c, (x, y) in zip(codes, points, strict=True)]
    return Europe(arrange(rows, 3), [])


def test_a_start_follows_from_its_seed_and_country_means_change_the_means_alone(europe: Europe) -> None:
    plain, again, other = begin(3, 0), begin(3, 0), begin(3, 1)
    assert torch.equal(plain.means, again.means) and not torch.equal(plain.means, other.means)
    country = begin(3, 0, europe.places.country_means())
    assert torch.equal(country.means, europe.places.country_means())
    assert torch.equal(country.logits, plain.logits) and country.log_variances.eq(0).all()


@pytest.mark.slow
def test_the_printed_formula_halves_the_variance() -> None:
    """−log σ² − v / (2σ²) is largest at σ² = v / 2."""
    x = torch.randn(500, 2, generator=torch.Generator().manual_seed(0)) * 1.3
    assert printed_variance(x, steps=1500) == pytest.approx(x.square().mean().item() / 2, rel=1e-2)


def test_learning_is_watched_after_each_epoch(europe: Europe) -> None:
    history = learn(begin(3, 0), europe, SMALL, 0)
    assert len(history.train) == len(history.test) == 2 and list(history.frames) == ["epoch 1"]
    assert history.train[1] > history.train[0]


def test_em_finds_what_one_gaussian_gives(europe: Europe) -> None:
    path = climb(begin(1, 0), europe, 5)
    assert path[-1] == pytest.approx(mixtures.ONE_GAUSSIAN, abs=0.01) and path[0] < path[-1]


@pytest.mark.slow
def test_a_small_run_measures_every_claim(
    monkeypatch: pytest.MonkeyPatch, europe: Europe, tmp_path: Path
) -> None:
    monkeypatch.setattr(mixtures, "load_europe", lambda countries, limit: europe)
    events = list(run(SMALL, Context(folder=tmp_path)))
    found = {one.name for one in events if isinstance(one, Metric | PairedMetric)}
    assert {claim.name for claim in EXPERIMENT.claims} <= found
    drawn = [one.name for one in events if isinstance(one, FigureEvent)]
    strips = ["training-random", "training-country"]
    assert drawn == ["components", "contours", *strips, "training", "likelihood"]
    (moving,) = [one for one in events if isinstance(one, FigureEvent) and one.name == "training"]
    assert b'class="film-1-0"' in picture(moving.figure) and "this picture moves" in moving.caption
    falls = next(one for one in events if isinstance(one, Metric) and one.name.startswith("largest fall"))
    assert falls.value < 1e-9
