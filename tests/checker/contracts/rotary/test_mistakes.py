"""Sabotaged rotations beside complex numbers."""

import numpy as np
import pytest

from regard.checker.contract import Case, WeightMap
from regard.checker.contracts.rotary.mistakes import BASES, MISTAKES
from regard.checker.contracts.rotary.reference import rotary

SLUGS = {m.slug: m for m in MISTAKES}
X = np.random.default_rng(0).standard_normal((1, 7, 10))
P, I = np.arange(7)[:, None], np.arange(5)[None]  # noqa: E741
ANGLES = {
    "direction-reversed": -P * 1e4 ** (-2 * I / 10),
    "exponent-without-two": P * 1e4 ** (-I / 10),
    "exponent-doubled": P * 1e4 ** (-4 * I / 10),
    "frequencies-inverted": P * 1e4 ** (2 * I / 10),
    "frequency-single": P * 1.0**I,
    "positions-from-one": (P + 1) * 1e4 ** (-2 * I / 10),
    "positions-reversed": (6 - P) * 1e4 ** (-2 * I / 10),
    "base-wrong": P * BASES[0] ** (-2 * I / 10),
}


@pytest.mark.parametrize("slug", ANGLES)
def test_a_sabotaged_rotation_is_the_mistake_it_is_called(slug: str) -> None:
    case = Case(name="", inputs={"x": X[None]}, facts={"offset": 0})
    frame = WeightMap(weights={}, facts={"axis": -2, "base": 10000.0})
    turned = (X[..., 0::2] + 1j * X[..., 1::2]) * np.exp(1j * ANGLES[slug])
    found = rotary(case, frame, SLUGS[slug].forms[0])[0]
    np.testing.assert_allclose(found[..., 0::2], turned.real, atol=1e-12)
    np.testing.assert_allclose(found[..., 1::2], turned.imag, atol=1e-12)


def test_all_programs_answer_as_before(known_answers) -> None:
    known_answers("rotary")
