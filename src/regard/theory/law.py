"""Finite probability laws with given moments, so that an expectation in a derivation is exact."""

from itertools import product

import numpy as np

from regard.shapes import Float


def uncorrelated(size: int) -> Float[np.ndarray, "outcomes size"]:
    """Outcomes, equally likely, whose mean is 0 and whose covariance is the identity: enough for what is linear or quadratic.

    >>> uncorrelated(2).T @ uncorrelated(2) / 4
    array([[1., 0.], [0., 1.]])
    """
    return np.sqrt(size) * np.concatenate([np.eye(size), -np.eye(size)])


def independent(size: int) -> Float[np.ndarray, "outcomes size"]:
    """All rows of signs: independent entries of mean 0 and variance 1, for what needs more than two moments."""
    return np.array(list(product((-1.0, 1.0), repeat=size)))
