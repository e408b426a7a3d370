import numpy as np
import pytest

import golden
from regard.theory.theorem import bindings
from regard.theory.theorems.dot_product import (
    THEOREM,
    _pairs,
    correlated_entries,
    dependent_pairs,
    independent_entries,
)
from regard.theory.value import value


def test_the_moments_are_those_of_gaussian_entries_too() -> None:
    random = np.random.default_rng(8)
    mu, sigma = np.array([0.5, -1.0, 0.2]), 0.7
    products = (
        (mu + sigma * random.standard_normal((400_000, 3)))
        * (mu + sigma * random.standard_normal((400_000, 3)))
    ).sum(1)
    known = {"mu": mu[:, None], "sigma": sigma, "d": 3}
    assert products.mean() == pytest.approx(float(value(r"\lVert \mu \rVert^2", known)), abs=0.01)
    variance = value(r"2 \sigma^2 \lVert \mu \rVert^2 + d \sigma^4", known)
    assert products.var() == pytest.approx(float(variance), rel=0.02)


def test_entries_have_the_correlation_they_should() -> None:
    x = _pairs(np.random.default_rng(9), (100_000, 3), 0.3)
    assert np.cov(x.T) == pytest.approx(np.full((3, 3), 0.3) + 0.7 * np.eye(3), abs=0.02)


def test_the_sweeps_are_near_their_known_values() -> None:
    random = np.random.default_rng(10)
    assert np.mean(independent_entries(random, 50).measured[-1]) == pytest.approx(
        16 * (1 + 2 * 2.25), rel=0.05
    )
    assert np.mean(correlated_entries(random, 50).measured[-1]) == pytest.approx(
        16 * (1 + 15 * 0.49), rel=0.1
    )
    assert dependent_pairs(random, 50).measured[-1] == pytest.approx([16.0] * 50, rel=0.1)


def test_ranks_at_the_random_points_are_below_their_bounds() -> None:
    known = bindings(THEOREM, np.random.default_rng(11))
    assert value(r"\mathrm{rank}(Q K^\top)", known) == 1 and value(r"\mathrm{rank}(Q)", known) == 2


def test_point_and_trials_are_those_of_before() -> None:
    golden.check(__file__, golden.of_theorem(THEOREM))
