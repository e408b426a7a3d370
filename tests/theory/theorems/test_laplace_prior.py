import numpy as np
import pytest
from sklearn.linear_model import Lasso

import golden
from regard.theory.theorems.laplace_prior import SIGMA, THEOREM, climbed, coordinate, most_probable, soft


def log_posterior(theta: np.ndarray, x: np.ndarray, y: np.ndarray, sigma: float, b: float) -> float:
    """The logarithm of likelihood times prior, up to a constant."""
    return float(-((y - x @ theta) ** 2).sum() / (2 * sigma**2) - np.abs(theta).sum() / b)


@pytest.mark.parametrize("b", [0.05, 0.3, 2.0])
def test_the_most_probable_weights_are_those_of_the_lasso(b: float) -> None:
    random = np.random.default_rng(6)
    x, sigma = random.standard_normal((30, 5)), 0.8
    y = x @ np.array([2.0, 0.0, -1.0, 0.0, 0.3]) + sigma * random.standard_normal(30)
    penalty = 2 * sigma**2 / b
    peer = Lasso(alpha=penalty / (2 * 30), fit_intercept=False, tol=1e-12, max_iter=100_000).fit(x, y)
    found = most_probable(x, y, sigma, b)
    assert found == pytest.approx(peer.coef_, abs=1e-7)
    for _ in range(50):
        assert log_posterior(found, x, y, sigma, b) >= log_posterior(
            found + 0.1 * random.standard_normal(5), x, y, sigma, b
        )


def test_a_wider_prior_leaves_more() -> None:
    random = np.random.default_rng(7)
    x, y = random.standard_normal((30, 5)), random.standard_normal(30)
    sizes = [np.abs(most_probable(x, y, 1.0, b)).sum() for b in (0.01, 0.1, 0.3, 1.0, 100.0)]
    assert sizes[0] == 0.0 and sizes == sorted(sizes)
    assert most_probable(x, y, 1.0, 1e9) == pytest.approx(np.linalg.lstsq(x, y, rcond=None)[0], abs=1e-6)


def test_bisection_and_threshold_agree_and_other_powers_have_no_zeros() -> None:
    rho = np.array([-2.0, -0.4, 0.1, 0.9])
    assert coordinate(rho, 0.5) == pytest.approx(soft(rho, SIGMA**2 / 0.5), abs=1e-12)
    assert coordinate(rho, 0.5, 2.0) == pytest.approx(rho / (1 + 2 * SIGMA**2 / 0.25), abs=1e-12)


def test_climbing_the_posterior_comes_to_the_same_place() -> None:
    random = np.random.default_rng(44)
    x, y = random.standard_normal((1, 20, 4)), random.standard_normal((1, 20))
    assert climbed(x, y, 0.05)[0] == pytest.approx(most_probable(x[0], y[0], SIGMA, 0.05), abs=1e-9)


def test_point_and_trials_are_those_of_before() -> None:
    golden.check(__file__, golden.of_theorem(THEOREM))
