import numpy as np
import pytest
from sklearn.metrics.pairwise import polynomial_kernel

import golden
from regard.theory.theorem import bindings
from regard.theory.theorems.kernel_attention import THEOREM, both_orders, counted, features
from regard.theory.value import value


@pytest.mark.parametrize("width", [1, 2, 5])
def test_the_features_make_the_quadratic_kernel(width: int) -> None:
    random = np.random.default_rng(15)
    x, y = random.standard_normal((7, width)), random.standard_normal((6, width))
    assert features(x) @ features(y).T == pytest.approx(
        polynomial_kernel(x, y, degree=2, gamma=1.0, coef0=1.0)
    )
    assert features(x).shape[1] == (width + 1) * (width + 2) // 2


def test_the_written_features_are_those_of_the_code() -> None:
    known = bindings(THEOREM, np.random.default_rng(16))
    assert np.ravel(value(r"\phi(q)", known)) == pytest.approx(features(known["q"][:, 0]))


def test_the_counting_product_is_a_product() -> None:
    random = np.random.default_rng(17)
    left, right = random.standard_normal((2, 3)), random.standard_normal((3, 5))
    found, count = counted(left, right)
    assert found == pytest.approx(left @ right) and count == 30


def test_the_two_orders_cross() -> None:
    sweep = both_orders(np.random.default_rng(18), 1)
    left = sweep.also["scores first: N²(C + M)"]
    assert left[0] < sweep.measured[0][0] and left[-1] > sweep.measured[-1][0]


def test_point_and_trials_are_those_of_before() -> None:
    golden.check(__file__, golden.of_theorem(THEOREM))
