import numpy as np
import pytest
import torch

import golden
from regard.core.attend import attend
from regard.core.support import Causal
from regard.theory.theorems.positions import THEOREM, masked, turned


def test_turning_is_multiplying_by_a_complex_number() -> None:
    x = np.random.default_rng(37).standard_normal(6)
    frequencies = 100.0 ** (-np.arange(3) / 3)
    expected = (x[::2] + 1j * x[1::2]) * np.exp(5j * frequencies)
    assert turned(x, 5) == pytest.approx(np.stack([expected.real, expected.imag], 1).ravel())


def test_the_operator_commutes_with_reordering_unless_masked() -> None:
    x = torch.randn(1, 1, 5, 3, dtype=torch.float64, generator=torch.Generator().manual_seed(1))
    order = torch.tensor([3, 1, 4, 0, 2])

    def gap(**factors) -> float:
        moved = x[:, :, order]
        return (
            (attend(moved, moved, moved, **factors).output - attend(x, x, x, **factors).output[:, :, order])
            .abs()
            .max()
            .item()
        )

    assert gap() < 1e-12 and gap(support=Causal()) > 0.1


def test_the_mask_matters_more_the_stronger_it_is() -> None:
    gaps = [np.mean(one) for one in masked(np.random.default_rng(38), 20).measured]
    assert gaps[0] < 1e-12 < gaps[1] < gaps[-1]


def test_point_and_trials_are_those_of_before() -> None:
    golden.check(__file__, golden.of_theorem(THEOREM))
