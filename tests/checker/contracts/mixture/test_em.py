"""Responsibilities, and what follows from them."""

import numpy as np

from regard.checker.contracts.mixture.em import expected, maximised


def test_a_step_makes_the_data_likelier(puppet) -> None:
    subject, rng = puppet("gaussian-mixture", {}), np.random.default_rng(0)
    x = rng.standard_normal((50, 5))
    shares = expected(subject, x)
    assert np.allclose(shares.sum(1), 1)
    weights, means, spread = maximised(x, shares)
    assert np.isclose(weights.sum(), 1)
    assert np.allclose(weights @ means, x.mean(0))
    # About its own mean a spread is smallest.
    assert (np.trace(maximised(x, shares, about=means + 0.1)[2][0]) > np.trace(spread[0])).all()
