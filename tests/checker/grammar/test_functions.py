"""Functions that people put where they do not belong: each keeps the shape, and says what it does."""

import numpy as np
import pytest

from regard.checker.grammar.functions import ELEMENTWISE, along, exchanged

X = np.random.default_rng(0).uniform(-2.0, 2.0, (2, 3, 4))


@pytest.mark.parametrize(
    "function", [*ELEMENTWISE, *along(-1, "keys", "key"), *along(0, "samples", "sample")]
)
def test_a_function_keeps_the_shape_and_changes_something(function) -> None:
    with np.errstate(all="ignore"):
        found = function.do(X)
    assert found.shape == X.shape
    assert not np.allclose(found, X)
    assert "{noun}" in function.says and "{are}" in function.says


def test_a_softmax_along_an_axis_sums_to_one_there() -> None:
    soft = next(along(1, "keys", "key"))
    np.testing.assert_allclose(soft.do(X).sum(1), 1.0)
    assert soft.thing == "a softmax over the keys"


def test_what_is_shifted_gets_zeros_and_what_is_hard_gets_one_one() -> None:
    known = {function.slug: function.do for function in along(-1, "keys", "key")}
    np.testing.assert_array_equal(known["shifted-keys"](X)[..., 1:], X[..., :-1])
    assert not known["shifted-keys"](X)[..., 0].any()
    np.testing.assert_array_equal(known["hard-keys"](X).sum(-1), 1.0)


def test_axes_are_exchanged() -> None:
    assert exchanged("queries", "keys").do(X).shape == (2, 4, 3)


def test_half_precision_rounds_as_torch_does() -> None:
    known = {function.slug: function.do for function in ELEMENTWISE}
    assert known["float16"](np.array([1 / 3]))[0] == 0.333251953125
