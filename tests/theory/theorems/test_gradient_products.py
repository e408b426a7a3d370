import numpy as np
import pytest
import torch
from torch.autograd.functional import jacobian

import golden
from regard.theory.theorems.gradient_products import RESIDUAL, THEOREM, kept_alive, scaled, through


@pytest.mark.parametrize(("activation", "residual"), [("sigmoid", False), ("tanh", False), ("sigmoid", True)])
def test_the_jacobian_is_torchs(activation: str, residual: bool) -> None:
    random = np.random.default_rng(26)
    x, weights = random.standard_normal((1, 4)), random.standard_normal((1, 4, 4))
    matrix, function = torch.from_numpy(weights[0]), getattr(torch, activation)

    def network(z: torch.Tensor) -> torch.Tensor:
        for _ in range(3):
            z = z + function(matrix @ z) / 4 if residual else function(matrix @ z)
        return z

    expected = torch.linalg.matrix_norm(jacobian(network, torch.from_numpy(x[0])), 2).item()
    assert through(x, weights, 3, activation, residual)[0] == pytest.approx(expected)


def test_a_matrix_gets_its_largest_singular_value() -> None:
    assert np.linalg.norm(
        scaled(np.random.default_rng(27).standard_normal((3, 5, 5)), 0.25), 2, axis=(1, 2)
    ) == pytest.approx([0.25] * 3)


def test_a_chain_of_relu_passes_the_product_or_nothing() -> None:
    for x, expected in ((0.5, 0.24), (-0.5, 0.0)):
        z = torch.tensor(x, requires_grad=True)
        (torch.relu(0.4 * torch.relu(0.6 * z))).backward()
        assert z.grad.item() == pytest.approx(expected)


def test_orthogonal_weights_and_residuals_keep_gradients_alive() -> None:
    sweep = kept_alive(np.random.default_rng(28), 10)
    assert np.mean(sweep.measured[-1]) > 0.9 and min(sweep.also[RESIDUAL]) > 0.9
    assert max(sweep.measured[2]) > 0.9 * sweep.predicted[2], "the bound is nearly reached where it holds"


def test_point_and_trials_are_those_of_before() -> None:
    golden.check(__file__, golden.of_theorem(THEOREM))
