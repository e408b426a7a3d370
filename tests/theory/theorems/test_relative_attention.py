import numpy as np
import pytest
import torch

from regard.core.attend import attend
from regard.core.position import Relative
from regard.core.similarity import Dot
from regard.theory.theorem import bindings
from regard.theory.theorems.relative_attention import THEOREM, pooled
from regard.theory.value import value


def test_pooling_is_what_the_operator_gives() -> None:
    x, beta = torch.rand(5, dtype=torch.float64, generator=torch.Generator().manual_seed(0)), 7.0
    q = beta**0.5 * x[None, None, :, None]
    layer = attend(
        q,
        q,
        x[None, None, :, None],
        similarity=Dot(1.0),
        position=Relative(torch.zeros(5, dtype=torch.float64)),
    )
    assert pooled(x.numpy()[None], np.array([x[2].item()]), beta)[0] == pytest.approx(
        layer.output[0, 0, 2, 0].item()
    )


def test_a_place_of_value_zero_averages() -> None:
    window = np.array([[0.1, 0.9, 0.0]])
    assert pooled(window, np.array([0.0]), 1e6)[0] == pytest.approx(window.mean())


def test_toronto_s_kernel_has_the_known_weights() -> None:
    known = bindings(THEOREM, np.random.default_rng(0)) | {"w": np.array([[2.0], [0.0], [1.0]])}
    with np.errstate(divide="ignore"):
        assert [float(value(f"b_{j}", known)) for j in (1, 2, 3)] == pytest.approx([2 / 3, 0, 1 / 3])
