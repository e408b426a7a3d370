"""Boxes as an estimator: they find boxes, in the axes of the data, and go on from a stream."""

import numpy as np
import pytest

from regard.estimators import UniformMixture


@pytest.mark.slow
def test_boxes_find_boxes() -> None:
    """Two boxes of known place and size; a hard start far from them would never move.

    The edge is as soft as 0.01 deviations, about 0.005 upright: the box is so much smaller at either side.
    """
    random = np.random.RandomState(0)
    x = np.concatenate([random.rand(1000, 2) * [30.0, 0.1], random.rand(3000, 2) * [10.0, 0.2] + [50.0, 1.0]])
    ours = UniformMixture(2, random_state=0, max_iter=400, batch_size=256).fit(x)
    first, second = np.argsort(ours.centres_[:, 0])
    assert np.allclose(ours.centres_[[first, second]], [[15.0, 0.05], [55.0, 1.1]], rtol=0.03, atol=0.03)
    assert np.allclose(ours.sizes_[[first, second]], [[30.0, 0.1], [10.0, 0.2]], rtol=0.1, atol=0.02)
    assert ours.weights_[second] == pytest.approx(0.75, abs=0.02)
    truth = 0.25 * np.log(0.25 / 3) + 0.75 * np.log(0.75 / 2)
    assert ours.score(x) == pytest.approx(truth, abs=0.15)


def test_the_density_of_boxes_integrates_to_one_in_the_axes_of_the_data() -> None:
    ours = UniformMixture(2, random_state=0, max_iter=30).fit(
        np.random.RandomState(0).randn(600, 2) * [40.0, 0.3]
    )
    a, b = np.meshgrid(np.linspace(-200, 200, 601), np.linspace(-2, 2, 601))
    density = np.exp(ours.score_samples(np.c_[a.ravel(), b.ravel()]))
    assert density.sum() * (400 / 600) * (4 / 600) == pytest.approx(1, abs=0.01)


@pytest.mark.slow
def test_boxes_go_on_from_a_stream() -> None:
    ours = UniformMixture(1, random_state=0, max_iter=100, rate=0.05)
    random = np.random.RandomState(0)
    ours.partial_fit(random.rand(500, 1))
    before = ours.sizes_.item()
    for _ in range(20):
        ours.partial_fit(2 * random.rand(500, 1))
    assert before == pytest.approx(1, abs=0.1) and ours.sizes_.item() == pytest.approx(2, abs=0.2)


def test_boxes_begin_as_wide_as_fill_the_data(monkeypatch) -> None:
    # Of 8 boxes that fill a cube of three axes each has half its side; the cube has two deviations.
    monkeypatch.setattr(UniformMixture, "_descend", lambda self, x, random, **options: None)
    points = np.random.RandomState(0).randn(40, 3)
    assert np.allclose(UniformMixture(8, random_state=0).fit(points).sizes_, points.std(0))
