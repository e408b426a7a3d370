"""The Gaussian mixtures of Jerusalem ex. 5: starts, the printed formula, and a small run on made-up places."""

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
import torch

import golden
import own_words
from regard.data.sets.places import arrange
from regard.experiments.unsupervised.europe import Plane
from regard.experiments.unsupervised.mixtures import experiment as mixtures
from regard.experiments.unsupervised.mixtures.experiment import (
    EXPERIMENT,
    Settings,
    _by_epoch,
    begin,
    climb,
    learn,
    printed_variance,
    run,
)
from regard.lab.book.style import picture
from regard.lab.events import FigureEvent, Metric, PairedMetric, TextEvent
from regard.lab.experiment import Context
from regard.models.mixture.em import EM
from regard.models.mixture.gaussian import GaussianMixtureModel
from saboteurs import Saboteur, covers, fails, small

SMALL = Settings(countries=3, components=(1, 2), epochs=10, batches=3, seeds=2, steps=5)
ENOUGH = replace(SMALL, epochs=20, rate=0.03, seeds=3, steps=60)
"How three clouds of 500 places are learnt so well that no claim fails."


def three_clouds(each: int) -> Plane:
    """Three countries, each a round cloud of so many places."""
    points = torch.randn(3 * each, 2, generator=torch.Generator().manual_seed(0)).tolist()
    homes = {"DE": (10, 51), "FR": (2, 47), "IT": (12, 42)}
    codes = [code for code in homes for _ in range(each)]
    rows = [(homes[c][0] + x, homes[c][1] + y, c) for c, (x, y) in zip(codes, points, strict=True)]
    return Plane(arrange(rows, 3), "Made up.")


@pytest.fixture
def europe() -> Plane:
    return three_clouds(90)


def test_a_start_follows_from_its_seed_and_country_means_change_the_means_alone(europe: Plane) -> None:
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


def test_learning_is_watched_after_each_epoch(europe: Plane) -> None:
    history = learn(begin(3, 0), europe, SMALL, 0)
    assert len(history.train) == len(history.test) == 10 and list(history.frames) == ["epoch 1", "epoch 10"]
    assert history.train[1] > history.train[0]


@pytest.mark.parametrize("epochs", [1, 10, 20])
def test_what_is_gained_from_one_epoch_drawn_to_the_next_is_the_smallest_gain(
    europe: Plane, epochs: int
) -> None:
    history = learn(begin(2, 0), europe, replace(SMALL, epochs=epochs), 0)
    found = {one.name: one.value for one in _by_epoch("random", history) if isinstance(one, Metric)}
    gain = "smallest gain in log-likelihood from one epoch drawn to the next, random means"
    drawn = [history.train[at - 1] for at in (1, 10, 20) if at <= epochs]
    assert found.get(gain) == min((b - a for a, b in pairwise(drawn)), default=None)
    ends = {"first": "epoch 1"} | ({"last": f"epoch {epochs}"} if epochs > 1 else {})
    for end, frame in ends.items():
        wide = (history.frames[frame].log_variances / 2).exp().mean().item()
        assert found[f"mean deviation of a component, {end} epoch drawn, random means"] == pytest.approx(wide)


def test_em_finds_what_one_gaussian_gives(europe: Plane) -> None:
    path = climb(begin(1, 0), europe, 5)
    assert path[-1] == pytest.approx(mixtures.ONE_GAUSSIAN, abs=0.01) and path[0] < path[-1]


@pytest.mark.slow
def test_a_small_run_measures_every_claim(
    monkeypatch: pytest.MonkeyPatch, europe: Plane, tmp_path: Path
) -> None:
    monkeypatch.setattr(mixtures, "load_plane", lambda settings, countries, limit: europe)
    events = list(run(SMALL, Context(folder=tmp_path)))
    golden.check(__file__, golden.of_events(events))
    found = {one.name for one in events if isinstance(one, Metric | PairedMetric)}
    assert {claim.name for claim in EXPERIMENT.claims} <= found
    drawn = [one.name for one in events if isinstance(one, FigureEvent)]
    strips = ["training-random", "training-country"]
    assert drawn == ["components", "contours", *strips, "training", "likelihood"]
    (moving,) = [one for one in events if isinstance(one, FigureEvent) and one.name == "training"]
    assert b'class="film-2-0"' in picture(moving.figure) and "this picture moves" in moving.caption
    falls = next(one for one in events if isinstance(one, Metric) and one.name.startswith("largest fall"))
    assert falls.value < 1e-9


@pytest.mark.slow
def test_points_of_ones_own_take_the_places_place(tmp_path: Path) -> None:
    draw = torch.Generator().manual_seed(0)
    rows = [
        f"{x + 9 * (n % 2)},{y},{'ab'[n % 2]}"
        for n, (x, y) in enumerate(torch.randn(80, 2, generator=draw).tolist())
    ]
    (tmp_path / "mine.csv").write_text("x,y,kind\n" + "\n".join(rows))
    settings = replace(SMALL, points=tmp_path / "mine.csv")
    events = list(run(settings, Context(folder=tmp_path)))
    said, found = [one.text for one in events if isinstance(one, TextEvent)]
    assert "Labels from 'kind': a 40, b 40." in said
    assert (
        "By EM, of 8 starts for each number" in found
        and "on the test points from the means of your labels" in found
    )
    own_words.check("mixtures", events)
    named = {one.name for one in events if isinstance(one, Metric) and not one.at}
    assert {one.name for one in EXPERIMENT.claims if not one.data} <= named
    assert sum(one.data == "points" for one in EXPERIMENT.claims) == 7


def at(name: str, value):
    return lambda patch: patch.setattr(mixtures, name, value)


def still(model, places, *, epochs, **words):
    """A descent that takes no step."""
    yield from range(1, epochs + 1)


def lost(components, seed, means=None):
    """A start that puts the means of countries far away."""
    return begin(components, seed, None if means is None else means + 500)


def alone(components, seed, means=None):
    return begin(1, seed)


def elsewhere(settings, countries, limit) -> Plane:
    """The places, those of the test moved by five deviations."""
    plane = three_clouds(500)
    plane.places.splits["test"].add_(5)
    return plane


def printed(self, x):
    """log p(x | k) as it is printed: −log σ² for each axis, where −½ log σ² belongs."""
    return conditional(self, x) - self.log_variances.sum(1) / 2


def wide(self, component, generator=None):
    """Draws whose deviations are the variances."""
    z = torch.randn(len(component), self.width, generator=generator, dtype=self.means.dtype)
    return self.means[component] + z * self.log_variances.exp()[component]


def shaken(self, moments):
    """An M-step that leaves the means where chance puts them."""
    maximise(self, moments)
    with torch.no_grad():
        self.model.means.add_(torch.randn_like(self.model.means))


maximise, conditional = EM.maximise, GaussianMixtureModel.conditional
SABOTEURS = {
    "a descent that takes no step": Saboteur(
        at("descend", still),
        {
            "K = 1: mean log-likelihood of the training places",
            *(
                f"smallest gain in log-likelihood from one epoch drawn to the next, {start} means"
                for start in ("random", "country")
            ),
        },
    ),
    "one component whatever is asked": Saboteur(
        at("begin", alone), {"smallest gain in test log-likelihood from one K to the next"}
    ),
    "the printed density in the model": Saboteur(
        lambda patch: patch.setattr(GaussianMixtureModel, "conditional", printed),
        {"largest difference of the fitted log-density from torch's distributions"},
    ),
    "variances for deviations in the samples": Saboteur(
        lambda patch: patch.setattr(GaussianMixtureModel, "draw", wide),
        {"largest gap of samples from the fitted parameters, standard errors"},
    ),
    "test places from elsewhere": Saboteur(
        at("load_plane", elsewhere), {"training less test log-likelihood, most components"}
    ),
    "countries far away": Saboteur(
        at("begin", lost), {"test log-likelihood, country means less random means"}
    ),
    "EM with shaken means": Saboteur(
        lambda patch: patch.setattr(EM, "maximise", shaken),
        {
            "largest fall of the likelihood in a step of EM",
            "EM, random means: passes until as good as gradient descent at its end",
        },
    ),
    "the right formula for the printed one": Saboteur(
        at("printed_variance", lambda points: points.square().mean().item()),
        {"variance that fits best under the printed formula, K = 1"},
    ),
}


@pytest.mark.parametrize("name", SABOTEURS)
def test_what_is_measured_otherwise_fails_its_claims(
    name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(mixtures, "load_plane", lambda settings, countries, limit: three_clouds(500))
    for drawing in ("strip", "contours", "moving", "_curves"):
        monkeypatch.setattr(mixtures, drawing, lambda *_: None)
    fails(EXPERIMENT, SABOTEURS[name], monkeypatch, small(EXPERIMENT, ENOUGH, tmp_path))


def test_every_claim_has_a_saboteur() -> None:
    covers(EXPERIMENT, SABOTEURS)
