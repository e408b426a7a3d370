"""The estimate against sympy, against numeric maximisation, and against least squares."""

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.stats import multivariate_normal

from regard.theory.theorems.correlated_noise import estimate, noises


@pytest.mark.slow
def test_sympy_finds_the_same_maximum() -> None:
    sympy = pytest.importorskip("sympy")
    a, beta = sympy.symbols("a beta", real=True)
    x, y, z = (sympy.symbols(f"{name}1:4", real=True) for name in "xyz")
    covariance = sympy.Matrix([[1, beta], [beta, 1]])
    joint = 0
    for one, other, third in zip(x, y, z, strict=True):
        rest = sympy.Matrix([other - a * one, third - one])
        joint += (
            -sympy.log(2 * sympy.pi)
            - sympy.log(covariance.det()) / 2
            - (rest.T * covariance.inv() * rest)[0] / 2
        )
    (found,) = sympy.solve(sympy.diff(joint, a), a)
    top = sum(one * (other - beta * (third - one)) for one, other, third in zip(x, y, z, strict=True))
    assert sympy.simplify(found - top / sum(one**2 for one in x)) == 0
    inside = sum(one**2 for one in x) / (1 - beta**2)
    assert sympy.simplify(sympy.diff(joint, a, 2) + inside) == 0
    expected = -3 * sympy.log(2 * sympy.pi) - sympy.Rational(3, 2) * sympy.log(1 - beta**2)
    for one, other, third in zip(x, y, z, strict=True):
        e, f = other - a * one, third - one
        expected -= (e**2 - 2 * beta * e * f + f**2) / (2 * (1 - beta**2))
    assert sympy.simplify(sympy.expand_log(joint - expected, force=True)) == 0


@pytest.mark.parametrize("beta", [-0.8, 0.0, 0.5, 0.95])
def test_it_is_where_the_density_is_largest(beta: float) -> None:
    random = np.random.default_rng(1)
    x = random.standard_normal(7)
    noise, other = noises(random, (7,), beta)
    y, z = 0.7 * x + noise, x + other

    def unlikely(a: float) -> float:
        pairs = np.stack([y - a * x, z - x], 1)
        return -multivariate_normal([0, 0], [[1, beta], [beta, 1]]).logpdf(pairs).sum()

    assert estimate(x, y, z, beta) == pytest.approx(minimize_scalar(unlikely).x, abs=1e-6)


def test_without_correlation_it_is_least_squares_and_with_full_correlation_it_is_exact() -> None:
    random = np.random.default_rng(2)
    x = random.standard_normal(9)
    noise, other = noises(random, (9,), 1.0)
    y, z = 0.7 * x + noise, x + other
    assert estimate(x, y, z, 0.0) == pytest.approx(np.linalg.lstsq(x[:, None], y, rcond=None)[0][0])
    assert estimate(x, y, z, 1.0) == pytest.approx(0.7, abs=1e-12)


def test_the_noises_have_the_correlation() -> None:
    first, second = noises(np.random.default_rng(3), (200_000,), -0.6)
    assert np.cov(first, second) == pytest.approx(np.array([[1, -0.6], [-0.6, 1]]), abs=0.02)
