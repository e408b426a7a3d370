from itertools import combinations
from math import comb

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from regard.experiments.unsupervised.linear_autoencoder import (
    accuracy,
    critical,
    expected_accuracy,
    gradients,
    loss,
    optimum,
    principal,
    readable,
)
from regard.models.autoencoder import Clean, Corruption, Masked, Noisy


def sample(seed: int, width: int = 5, count: int = 40) -> torch.Tensor:
    generator = torch.Generator().manual_seed(seed)
    mix = torch.randn(width, width, generator=generator, dtype=torch.float64)
    return mix @ torch.randn(width, count, generator=generator, dtype=torch.float64)


def pair(seed: int, code: int = 2, width: int = 5) -> tuple[torch.Tensor, torch.Tensor]:
    generator = torch.Generator().manual_seed(seed + 1)
    return (
        torch.randn(code, width, generator=generator, dtype=torch.float64),
        torch.randn(width, code, generator=generator, dtype=torch.float64),
    )


@given(st.integers(0, 1000))
def test_loss_and_gradients_are_those_of_the_points_themselves(seed: int) -> None:
    x, (encoder, decoder) = sample(seed), pair(seed)
    n = x.shape[1]
    by_hand = sum(float((x[:, i] - decoder @ (encoder @ x[:, i])).square().sum()) for i in range(n)) / n
    leaves = encoder.clone().requires_grad_(), decoder.clone().requires_grad_()
    truth = torch.autograd.grad((x - leaves[1] @ leaves[0] @ x).square().sum() / n, leaves)
    covariance = x @ x.T / n
    assert loss(encoder, decoder, covariance).item() == pytest.approx(by_hand, rel=1e-10)
    for ours, theirs in zip(gradients(encoder, decoder, covariance), truth, strict=True):
        assert ours.shape == theirs.shape and torch.allclose(ours, theirs, rtol=1e-9, atol=1e-9)


def test_the_optima_of_berkeley() -> None:
    """Berkeley HW6's points: 20 variances of 100, 80 of 1, per entry of 100."""
    covariance = torch.diag(torch.tensor([100.0] * 20 + [1.0] * 80, dtype=torch.float64))
    found = [optimum(covariance, k).clean / 100 for k in (5, 10, 20, 100, 1000)]
    assert found == pytest.approx([15.8, 10.8, 0.8, 0, 0], abs=1e-12)


@pytest.mark.parametrize("corruption", [Clean(), Noisy(0.8), Masked(0.3)])
def test_no_pair_of_weights_beats_the_optimum_and_descent_comes_to_it(corruption: Corruption) -> None:
    x = sample(0)
    covariance = x @ x.T / x.shape[1]
    inputs, cross = corruption.moments(covariance)
    best = optimum(covariance, 2, corruption)

    def seen(encoder: torch.Tensor, decoder: torch.Tensor) -> torch.Tensor:
        """E|x − W x̃|², spelled out."""
        product = decoder @ encoder
        return covariance.trace() - 2 * (product @ cross.mT).trace() + (product @ inputs @ product.mT).trace()

    leaves = [one.requires_grad_() for one in pair(3)]
    optimiser = torch.optim.LBFGS(leaves, max_iter=500, line_search_fn="strong_wolfe", tolerance_grad=1e-12)

    def closure() -> torch.Tensor:
        optimiser.zero_grad()
        value = seen(*leaves)
        value.backward()
        return value

    optimiser.step(closure)
    reached = float(seen(*leaves).detach())
    assert reached == pytest.approx(best.trained, rel=1e-6)
    product = (leaves[1] @ leaves[0]).detach()
    assert torch.allclose(product, best.map, atol=1e-3)
    rest = torch.eye(5, dtype=torch.float64) - product
    assert (rest @ covariance @ rest.mT).trace().item() == pytest.approx(best.clean, rel=1e-3)


def test_what_a_code_tells_is_a_regression() -> None:
    x, (encoder, _) = sample(2, count=60), pair(2)
    direction = torch.tensor([1.0, -1.0, 0.5, 0.0, 2.0], dtype=torch.float64)
    code, target = (encoder @ x).T, direction @ x
    fitted = code @ torch.linalg.lstsq(code, target[:, None]).solution[:, 0]
    cosine = torch.dot(fitted, target) / fitted.norm() / target.norm()
    assert readable(encoder, x @ x.T / 60, direction).item() == pytest.approx(cosine.item(), rel=1e-9)


@pytest.mark.parametrize("correlation", [0.0, 0.3, 0.9])
def test_signs_agree_as_often_as_the_angle_says(correlation: float) -> None:
    noise = torch.randn(2, 200_000, generator=torch.Generator().manual_seed(0))
    other = correlation * noise[0] + (1 - correlation**2) ** 0.5 * noise[1]
    share = ((noise[0] > 0) == (other > 0)).double().mean().item()
    assert share == pytest.approx(accuracy(correlation), abs=5 * 0.5 / 200_000**0.5)


def test_the_expected_accuracies_of_berkeley() -> None:
    assert [expected_accuracy(k, 20) for k in (5, 10, 20, 100)] == pytest.approx([2 / 3, 0.75, 1, 1])


def test_every_listed_critical_point_is_one_with_its_loss_and_its_descents() -> None:
    x = sample(5)
    covariance = x @ x.T / x.shape[1]
    values, vectors = principal(covariance)
    listed = list(critical(values, 2))
    assert len(listed) == comb(5, 2) + 5 + 1
    assert {one for one, _, _ in listed if len(one) == 2} == set(combinations(range(5), 2))

    def flat(weights: torch.Tensor) -> torch.Tensor:
        return loss(weights[:10].view(2, 5), weights[10:].view(5, 2), covariance)

    for chosen, value, descents in listed:
        decoder = torch.zeros(5, 2, dtype=torch.float64)
        decoder[:, : len(chosen)] = vectors[:, list(chosen)]
        weights = torch.cat([decoder.T.flatten(), decoder.flatten()])
        assert max(one.abs().max() for one in gradients(decoder.T, decoder, covariance)) < 1e-10
        assert flat(weights).item() == pytest.approx(value)
        curved = torch.linalg.eigvalsh(torch.autograd.functional.hessian(flat, weights))
        assert int((curved < -1e-8).sum()) == descents
    assert [one for one, _, descents in listed if descents == 0] == [(0, 1)]
