"""The checker's own rotation beside complex numbers."""

import numpy as np
import pytest

from regard.checker.contract import Case, WeightMap
from regard.checker.contracts.rotary.mistakes import MISTAKES
from regard.checker.contracts.rotary.reference import ONE, doubled, halves, rotary


@pytest.mark.parametrize("offset", [0, 5])
def test_turning_is_a_product_of_complex_numbers(offset: int) -> None:
    x = np.random.default_rng(0).standard_normal((2, 3, 7, 10))
    case = Case(name="", inputs={"x": x[None]}, facts={"offset": offset})
    angle = np.outer(offset + np.arange(7), 10000.0 ** (-2 * np.arange(5) / 10))
    turned = (x[..., 0::2] + 1j * x[..., 1::2]) * np.exp(1j * angle)
    frame = WeightMap(weights={}, facts={"axis": -2, "base": 10000.0})
    np.testing.assert_allclose(rotary(case, frame, {})[0][..., 0::2], turned.real, atol=1e-13)
    np.testing.assert_allclose(rotary(case, frame, {})[0][..., 1::2], turned.imag, atol=1e-13)


def test_half_split_pairs_are_interleaved_ones_in_another_order() -> None:
    x = np.random.default_rng(0).standard_normal((1, 4, 6))
    frame = WeightMap(weights={}, facts={"axis": -2, "base": 10000.0})
    order = np.array([0, 3, 1, 4, 2, 5])
    half = rotary(
        Case(name="", inputs={"x": x[None]}, facts={"offset": 2}),
        frame,
        {"spread": doubled, "partner": halves},
    )[0]
    pairs = rotary(Case(name="", inputs={"x": x[None][..., order]}, facts={"offset": 2}), frame, {})[0]
    np.testing.assert_allclose(half[..., order], pairs, atol=1e-13)


def test_a_sine_of_another_exponent_by_hand() -> None:
    x = np.zeros((1, 1, 3, 4))
    x[..., 2] = 1.0
    steps = next(dict(found) for slug, _, found in ONE.others if slug == "sine-of-odd-exponent")
    frame = WeightMap(weights={}, facts={"axis": -2, "base": 10000.0})
    found = rotary(Case(name="", inputs={"x": x}, facts={"offset": 0}), frame, steps)[0, 0, 2]
    np.testing.assert_allclose(found, [0.0, 0.0, np.cos(2 * 0.01), np.sin(2 * 0.001)], atol=1e-15)


def test_keys_that_turn_back_depend_on_the_sum_of_positions() -> None:
    x = np.random.default_rng(0).standard_normal((2, 1, 1, 6)).repeat(5, axis=2)
    case = Case(name="", inputs={"x": x}, facts={"offset": 0})
    frame = WeightMap(weights={}, facts={"axis": -2, "base": 10000.0})
    for steps in next(m for m in MISTAKES if m.slug == "keys-turned-back").forms:
        q, k = rotary(case, frame, steps)[:, 0]
        np.testing.assert_allclose(q[1] @ k[3], q[2] @ k[2], atol=1e-12)
        assert abs(q[1] @ k[1] - q[2] @ k[2]) > 1e-3


def test_all_programs_answer_as_before(known_answers) -> None:
    known_answers("rotary")
