"""Threads of a fit: one for tiny steps, all for large ones, and afterwards as many as before."""

import numpy as np
import pytest
import torch

pytest.importorskip("sklearn")

from regard.estimators import AutoencoderEstimator, GaussianMixture
from regard.estimators.threads import TINY, suited


@pytest.fixture(autouse=True)
def two_threads():
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    yield
    torch.set_num_threads(before)


@pytest.mark.parametrize(("products", "threads"), [(TINY - 1, 1), (TINY, 2)])
def test_tiny_steps_take_one_thread(products: int, threads: int) -> None:
    with suited(products):
        assert torch.get_num_threads() == threads
    assert torch.get_num_threads() == 2


def test_a_fit_that_fails_gives_the_threads_back() -> None:
    with pytest.raises(KeyError), suited(1):
        raise KeyError
    assert torch.get_num_threads() == 2


@pytest.mark.parametrize("learn", ["fit", "partial_fit"])
def test_a_small_autoencoder_is_fitted_by_one_thread(monkeypatch, learn: str) -> None:
    seen = []

    def learn_all(model, points, optimiser, **words):
        seen.append(torch.get_num_threads())
        return torch.zeros(1)

    monkeypatch.setattr("regard.estimators.autoencoder.model.learn_all", learn_all)
    points = np.random.default_rng(0).normal(size=(450, 4))
    getattr(AutoencoderEstimator(max_iter=2), learn)(points)
    assert set(seen) == {1} and torch.get_num_threads() == 2
    seen.clear()
    AutoencoderEstimator(hidden_layer_sizes=(100_000,), batch_size=450, max_iter=1).fit(points)
    assert seen == [2]


def test_a_small_mixture_is_fitted_by_one_thread(monkeypatch) -> None:
    seen = []

    def fit(model, points, **options):
        seen.append(torch.get_num_threads())
        return [0.0, 0.0]

    monkeypatch.setattr("regard.estimators.mixture.em.fit", fit)
    GaussianMixture(3, random_state=0).fit(np.random.default_rng(0).normal(size=(450, 4)))
    assert seen == [1] and torch.get_num_threads() == 2
