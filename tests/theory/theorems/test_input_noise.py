import numpy as np
import pytest
from sklearn.linear_model import Ridge

import golden
from regard.theory.theorem import bindings
from regard.theory.theorems.input_noise import THEOREM, correlated_noise, independent_noise
from regard.theory.value import value


def test_the_minimum_is_that_of_ridge() -> None:
    known = bindings(THEOREM, np.random.default_rng(4))
    peer = Ridge(alpha=known["n"] * known["sigma"] ** 2, fit_intercept=True, tol=1e-12).fit(
        known["x"], known["y"][:, 0]
    )
    assert np.ravel(value(r"\hat{\theta}", known)) == pytest.approx(peer.coef_, abs=1e-9)


def test_noise_adds_its_variance_and_correlation_adds_four_times_itself() -> None:
    random = np.random.default_rng(5)
    plain, broken = independent_noise(random, 50), correlated_noise(random, 50)
    assert plain.predicted[4] == 1.0 and np.mean(plain.measured[4]) == pytest.approx(1.0, abs=0.05)
    assert broken.instead[-1] == pytest.approx(4.6) and np.mean(broken.measured[-1]) == pytest.approx(
        4.6, abs=0.2
    )


def test_point_and_trials_are_those_of_before() -> None:
    golden.check(__file__, golden.of_theorem(THEOREM))
