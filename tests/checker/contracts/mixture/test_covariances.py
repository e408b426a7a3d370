"""Covariances that samples may have instead of the mixture's are told apart."""

import numpy as np
import pytest

from regard.checker.contracts.mixture.covariances import _off, instead
from regard.checker.contracts.mixture.methods import SURE

FACTOR = np.array([[1.0, 0.0, 0.0], [0.8, 0.5, 0.0], [-0.6, 0.4, 2.0]])
NOISE = np.random.default_rng(0).standard_normal((1500, 3))


@pytest.mark.parametrize(
    ("samples", "said"),
    [
        (NOISE @ FACTOR, "the triangular factor from the wrong side"),
        (NOISE * np.sqrt(np.diag(FACTOR @ FACTOR.T)), "only the diagonal of the covariance"),
        (NOISE * np.diag(FACTOR), "only the diagonal of the triangular factor"),
        (NOISE @ FACTOR @ FACTOR.T, "the covariance itself"),
    ],
)
def test_what_made_the_samples_is_named(samples: np.ndarray, said: str) -> None:
    covariance = FACTOR @ FACTOR.T
    assert _off(samples, covariance) > SURE
    (found,) = [words for words, value in instead(covariance).items() if _off(samples, value) <= SURE]
    assert said in found


def test_right_samples_are_not_off() -> None:
    assert _off(NOISE @ FACTOR.T, FACTOR @ FACTOR.T) <= SURE
