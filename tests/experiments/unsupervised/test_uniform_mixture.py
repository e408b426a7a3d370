"""The boxes of Jerusalem ex. 5: what is counted while they are trained, and a small run on made-up places."""

from dataclasses import replace
from pathlib import Path

import pytest
import torch

import golden
import own_words
from regard.data.sets.places import arrange
from regard.experiments.unsupervised import uniform_mixture
from regard.experiments.unsupervised.europe import Plane, descend
from regard.experiments.unsupervised.uniform_mixture import (
    EXPERIMENT,
    BoxHistory,
    Settings,
    _watch,
    begin,
    learn,
    run,
    said_of_own,
)
from regard.lab.events import FigureEvent, Metric, TextEvent
from regard.lab.experiment import Context
from regard.models.mixture.uniform import OUTSIDE, UniformMixtureModel
from saboteurs import Saboteur, covers, fails, small

SMALL = Settings(countries=3, components=(1,), epochs=6, batches=4, rate=0.02, cure_rate=0.03)


@pytest.fixture
def europe() -> Plane:
    points = torch.randn(270, 2, generator=torch.Generator().manual_seed(0)).tolist()
    homes = {"DE": (10, 51), "FR": (2, 47), "IT": (12, 42)}
    codes = [code for code in homes for _ in range(90)]
    rows = [(homes[c][0] + x, homes[c][1] + y, c) for c, (x, y) in zip(codes, points, strict=True)]
    return Plane(arrange(rows, 3), "Made up.")


def test_what_is_watched_is_counted_by_hand() -> None:
    """One box of side 2 around 0 that moves to 1 and grows to side 4: a lost place comes back."""
    model = begin(1, 0)
    model.set_boxes(torch.zeros(1, 2), torch.full((1, 2), 2.0))
    history, test = (
        BoxHistory(begin(1, 0, torch.zeros(1, 2))),
        torch.tensor([[0.5, 0.5], [1.5, 1.5], [9.0, 9.0]]),
    )
    outside = torch.zeros(3, dtype=torch.bool)
    _watch(history, model, model, outside, test)
    assert outside.tolist() == [False, True, True] and history.returned == 0
    before = begin(1, 0)
    before.load_state_dict(model.state_dict())
    model.set_boxes(torch.ones(1, 2), torch.full((1, 2), 4.0))
    _watch(history, model, before, outside, test)
    assert history.uncovered == pytest.approx([2 / 3, 1 / 3]) and history.side == pytest.approx([2.0, 4.0])
    assert (history.moved, history.returned) == (1.0, 1)
    assert history.grown == pytest.approx(torch.tensor(2.0).log().item())


def test_hard_boxes_lose_places_and_soft_ones_do_not(europe: Plane) -> None:
    hard = learn(begin(3, 0), europe, SMALL, 0, rate=0.1)
    assert (hard.moved, hard.grown, hard.returned) == (0.0, 0.0, 0)
    assert hard.uncovered == sorted(hard.uncovered) and hard.uncovered[-1] > hard.uncovered[0]
    soft = learn(begin(3, 0), europe, SMALL, 0, rate=0.1, softness=(0.5, 0.01))
    assert soft.moved > 0.1 and soft.uncovered[-1] < hard.uncovered[-1]


@pytest.mark.slow
@pytest.mark.parametrize("components", [(1, 2, 5), (1, 2, 3, 4, 5, 6)])
def test_a_small_run_measures_every_claim(
    monkeypatch: pytest.MonkeyPatch, europe: Plane, tmp_path: Path, components: tuple[int, ...]
) -> None:
    monkeypatch.setattr(uniform_mixture, "load_plane", lambda settings, countries, limit: europe)
    settings = Settings(countries=3, components=components, epochs=2, batches=3)
    events = list(run(settings, Context(folder=tmp_path)))
    golden.check(__file__, golden.of_events(events), f"{len(components)} numbers of components")
    found = {one.name for one in events if isinstance(one, Metric)}
    assert {claim.name for claim in EXPERIMENT.claims} <= found
    drawn = [one.name for one in events if isinstance(one, FigureEvent)]
    assert drawn == [
        "components", "training-random", "training-country", "curves", "training-cured", "contours",
    ]  # fmt: skip


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
    assert "for K = 1" in found and "the cure leaves" in found
    assert "Labels from 'kind': a 40, b 40." in said
    named = {one.name for one in events if isinstance(one, Metric) and not one.at}
    assert {one.name for one in EXPERIMENT.claims if not one.data} <= named
    assert sum(one.data == "points" for one in EXPERIMENT.claims) == 5
    own_words.check("uniform-mixture", events)


def three_squares(each: int = 400) -> Plane:
    """Three countries, each an evenly filled square: boxes can hold them."""
    points = (3 * torch.rand(3 * each, 2, generator=torch.Generator().manual_seed(0)) - 1.5).tolist()
    homes = {"DE": (10, 51), "FR": (2, 47), "IT": (12, 42)}
    codes = [code for code in homes for _ in range(each)]
    rows = [(homes[c][0] + x, homes[c][1] + y, c) for c, (x, y) in zip(codes, points, strict=True)]
    return Plane(arrange(rows, 3), "Made up.")


def softened(model, places, *, softness, **words):
    """A descent in which no box is hard."""
    if softness is None:
        model.softness = 0.3
    return descend(model, places, softness=softness, **words)


def halted(model, places, *, rate, **words):
    """A descent without steps to speak of."""
    return descend(model, places, rate=1e-9, **words)


def hardened(model, places, *, softness, **words):
    """A descent in which all boxes are hard."""
    model.softness = 0.0
    return descend(model, places, softness=None, **words)


def weightless(self, x):
    """A density of 1 inside each box, whatever its sides."""
    return torch.where(self.inside(x), 0.0, OUTSIDE)


def cornered(self, component, generator=None):
    """Draws between a box's centre and its corner."""
    inside = torch.rand(len(component), self.width, generator=generator, dtype=self.centres.dtype)
    return self.centres[component] + inside * self.log_sizes.exp()[component] / 2


SABOTEURS = {
    "boxes that weigh what they hold": Saboteur(
        lambda patch: patch.setattr(UniformMixtureModel, "conditional", weightless),
        {"largest difference of the log-density of boxes from torch's distributions"},
    ),
    "samples from one quarter of a box": Saboteur(
        lambda patch: patch.setattr(UniformMixtureModel, "draw", cornered),
        {"largest gap of samples from the parameters of the boxes, standard errors"},
    ),
    "boxes with soft edges": Saboteur(
        lambda patch: patch.setattr(uniform_mixture, "descend", softened),
        {
            "largest move of a centre, all hard boxes",
            "largest growth of a side, all hard boxes (logarithm)",
            "test places that fell out of all hard boxes and came back",
        },
    ),
    "boxes that stay as they are": Saboteur(
        lambda patch: patch.setattr(uniform_mixture, "descend", halted),
        {
            "share of test places outside every box, most boxes: last epoch less first",
            "share of test places outside the one box, last epoch",
        },
    ),
    "a cure without soft edges": Saboteur(
        lambda patch: patch.setattr(uniform_mixture, "descend", hardened),
        {
            "share of test places outside every cured box, last epoch",
            "share of test places outside every box, last epoch: hard less cured, same rate",
            "mean test log-likelihood of the cured mixture",
        },
    ),
}


@pytest.mark.parametrize("name", SABOTEURS)
def test_what_is_measured_otherwise_fails_its_claims(
    name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(uniform_mixture, "load_plane", lambda settings, countries, limit: three_squares())
    for drawing in ("strip", "contours", "_curves"):
        monkeypatch.setattr(uniform_mixture, drawing, lambda *_: None)
    settings = replace(SMALL, epochs=30, rate=0.1, cure_rate=0.05)
    fails(EXPERIMENT, SABOTEURS[name], monkeypatch, small(EXPERIMENT, settings, tmp_path))


def test_every_claim_has_a_saboteur() -> None:
    covers(EXPERIMENT, SABOTEURS)


def test_whether_the_cure_helped_on_points_of_ones_own_follows_the_numbers() -> None:
    def ended(share: float) -> BoxHistory:
        return BoxHistory(begin(1, 0), uncovered=[0.9, share])

    hard = {"K = 1": ended(0.25)}
    better = said_of_own(hard, ended(0.5), ended(0.03))
    assert (
        "25.0 % for K = 1" in better and "leave 3.0 % outside" in better and better.endswith("leaves fewer.")
    )
    assert said_of_own(hard, ended(0.03), ended(0.5)).endswith("the cure leaves no fewer.")
