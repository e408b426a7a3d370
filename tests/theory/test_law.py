import numpy as np
import pytest

from regard.theory.law import independent, uncorrelated


@pytest.mark.parametrize("law", [uncorrelated, independent])
def test_the_first_two_moments_are_those_of_white_noise(law) -> None:
    outcomes = law(3)
    assert outcomes.mean(0) == pytest.approx(np.zeros(3))
    assert outcomes.T @ outcomes / len(outcomes) == pytest.approx(np.eye(3))


def test_signs_are_independent_and_the_others_are_not() -> None:
    signs, other = independent(2), uncorrelated(2)
    assert (signs[:, 0] ** 2 * signs[:, 1] ** 2).mean() == 1.0 and (
        other[:, 0] ** 2 * other[:, 1] ** 2
    ).mean() == 0.0
