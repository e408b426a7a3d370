from math import degrees, pi

import pytest
import torch

from regard.experiments.unsupervised.linear_autoencoder import gradients, loss
from regard.experiments.unsupervised.pca.landscape import angle, decay, nearest_signed, search


def test_the_angle_between_planes_by_hand() -> None:
    kept = torch.eye(3, dtype=torch.float64)[:, :1]
    for turn in (0.0, 1e-9, 0.3, pi / 2):
        line = torch.tensor([[2 * torch.cos(torch.tensor(turn, dtype=torch.float64))], [0], [2 * torch.sin(torch.tensor(turn, dtype=torch.float64))]], dtype=torch.float64)  # fmt: skip
        assert angle(line, kept).item() == pytest.approx(degrees(turn), rel=1e-6, abs=1e-12)


def test_order_and_sign_do_not_count_and_a_rotation_does() -> None:
    kept = torch.eye(4, dtype=torch.float64)[:, :2]
    assert nearest_signed(kept[:, [1, 0]] * torch.tensor([-1.0, 1.0]), kept) == pytest.approx(0)
    half = 0.5**0.5
    turned = kept @ torch.tensor([[half, -half], [half, half]], dtype=torch.float64)
    assert nearest_signed(turned, kept) == pytest.approx((2 * (2 - 2 * half)) ** 0.5)


def test_the_decay_is_the_smallest_positive_curvature_of_the_loss() -> None:
    """Half the Hessian's smallest eigenvalue that is not zero (zero is for mixing the code's numbers)."""
    values = torch.tensor([5.0, 3.0, 2.0, 1.0], dtype=torch.float64)
    kept = torch.eye(4, dtype=torch.float64)[:, :2]

    def flat(weights: torch.Tensor) -> torch.Tensor:
        return loss(weights[:8].view(2, 4), weights[8:].view(4, 2), torch.diag(values))

    curved = torch.linalg.eigvalsh(
        torch.autograd.functional.hessian(flat, torch.cat([kept.T.flatten(), kept.flatten()]))
    )
    assert decay(values, 2) == pytest.approx(curved[curved > 1e-8].min().item() / 2)


@pytest.mark.slow
def test_the_search_ends_where_the_gradient_vanishes_and_knows_a_saddle_from_a_minimum() -> None:
    covariance = torch.diag(torch.tensor([3.0, 2.0, 1.0], dtype=torch.float64))
    encoder, decoder, sizes, downward = search(covariance, 1, 60, torch.Generator().manual_seed(0))
    ended = sizes < 1e-8
    assert ended.double().mean() > 0.9
    assert max(one[ended].abs().max() for one in gradients(encoder, decoder, covariance)) < 1e-8
    found = {
        (round(product.diagonal().tolist().index(max(product.diagonal().tolist()))), int(down))
        for product, down in zip((decoder @ encoder)[ended], downward[ended], strict=True)
        if product.trace() > 0.5
    }
    assert found == {(0, 0), (1, 1), (2, 2)}
