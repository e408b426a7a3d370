"""The boxes of Jerusalem ex. 5: what is counted while they are trained, and a small run on made-up places."""

from pathlib import Path

import pytest
import torch

from regard.data.sets.places import arrange
from regard.experiments.unsupervised import uniform_mixture
from regard.experiments.unsupervised.europe import Europe
from regard.experiments.unsupervised.uniform_mixture import (
    EXPERIMENT,
    BoxHistory,
    Settings,
    _watch,
    begin,
    learn,
    run,
)
from regard.lab.events import FigureEvent, Metric
from regard.lab.experiment import Context

SMALL = Settings(countries=3, components=(1,), epochs=6, batches=4, rate=0.02, cure_rate=0.03)


@pytest.fixture
def europe() -> Europe:
    points = torch.randn(270, 2, generator=torch.Generator().manual_seed(0)).tolist()
    homes = {"DE": (10, 51), "FR": (2, 47), "IT": (12, 42)}
    codes = [code for code in homes for _ in range(90)]
    rows = [(homes[c][0] + x, homes[c][1] + y, c) for c, (x, y) in zip(codes, points, strict=True)]
    return Europe(arrange(rows, 3), [])


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


def test_hard_boxes_lose_places_and_soft_ones_do_not(europe: Europe) -> None:
    hard = learn(begin(3, 0), europe, SMALL, 0, rate=0.1)
    assert (hard.moved, hard.grown, hard.returned) == (0.0, 0.0, 0)
    assert hard.uncovered == sorted(hard.uncovered) and hard.uncovered[-1] > hard.uncovered[0]
    soft = learn(begin(3, 0), europe, SMALL, 0, rate=0.1, softness=(0.5, 0.01))
    assert soft.moved > 0.1 and soft.uncovered[-1] < hard.uncovered[-1]


@pytest.mark.slow
@pytest.mark.parametrize("components", [(1, 2, 5), (1, 2, 3, 4, 5, 6)])
def test_a_small_run_measures_every_claim(
    monkeypatch: pytest.MonkeyPatch, europe: Europe, tmp_path: Path, components: tuple[int, ...]
) -> None:
    monkeypatch.setattr(uniform_mixture, "load_europe", lambda countries, limit: europe)
    settings = Settings(countries=3, components=components, epochs=2, batches=3)
    events = list(run(settings, Context(folder=tmp_path)))
    found = {one.name for one in events if isinstance(one, Metric)}
    assert {claim.name for claim in EXPERIMENT.claims} <= found
    drawn = [one.name for one in events if isinstance(one, FigureEvent)]
    assert drawn == [
        "components", "training-random", "training-country", "curves", "training-cured", "contours",
    ]  # fmt: skip
