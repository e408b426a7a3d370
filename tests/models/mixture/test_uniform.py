"""Boxes, hard and soft: their density, its laws, where it has slopes, and samples."""

import itertools
import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from regard.models.mixture.uniform import OUTSIDE, UniformMixtureModel, annealed

SOFT = (0.0, 0.3)


def boxes(softness: float = 0.0, components: int = 3, width: int = 2, seed: int = 0) -> UniformMixtureModel:
    torch.manual_seed(seed)
    found = UniformMixtureModel(components, width, softness=softness).double()
    with torch.no_grad():
        found.log_sizes.normal_(std=0.4)
    return found


def samples(count: int = 200, width: int = 2) -> Tensor:
    return 2 * torch.randn(count, width, generator=torch.Generator().manual_seed(1), dtype=torch.float64)


def test_hard_boxes_by_hand() -> None:
    ours, x = boxes(), samples()
    weights, sizes = ours.weights.tolist(), ours.log_sizes.exp().tolist()
    found = ours(x)
    for n, point in enumerate(x.tolist()):
        density = 0.0
        for k, centre in enumerate(ours.centres.tolist()):
            if all(abs(point[i] - centre[i]) <= sizes[k][i] / 2 for i in range(2)):
                density += weights[k] / (sizes[k][0] * sizes[k][1])
        if density:
            assert abs(found[n].item() - math.log(density)) < 1e-12
        else:
            assert found[n].item() == pytest.approx(OUTSIDE, abs=1e-6)
    share = (found == OUTSIDE).double().mean().item()
    assert 0 < share < 1 and ours.uncovered(x) == pytest.approx(share, abs=1e-12)


def test_soft_boxes_are_differences_of_logistic_functions() -> None:
    ours, x = boxes(0.3), samples()
    half = ours.log_sizes.exp() / 2
    gap = x[:, None] - ours.centres
    sides = torch.sigmoid((gap + half) / 0.3) - torch.sigmoid((gap - half) / 0.3)
    density = ((sides / (2 * half)).prod(2) * ours.weights).sum(1)
    assert torch.allclose(ours(x).exp(), density, atol=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("softness", SOFT)
def test_the_density_integrates_to_one(softness: float) -> None:
    ours = boxes(softness)
    side = torch.linspace(-12, 12, 1201, dtype=torch.float64)
    grid = torch.cartesian_prod(side, side)
    within = 1e-6 if softness else 0.02  # a hard edge falls between points of the grid
    whole = sum(part.exp().sum().item() for part in map(ours, grid.split(1 << 18))) * 0.02**2
    assert abs(whole - 1) < within


@pytest.mark.slow
@pytest.mark.parametrize("softness", SOFT)
@given(shift=st.floats(-50, 50))
def test_order_and_constants_mean_nothing(softness: float, shift: float) -> None:
    ours, x = boxes(softness), samples(20)
    before = ours(x)
    with torch.no_grad():
        for parameter in ours.parameters():
            parameter.copy_(parameter.flip(0).clone())
        ours.logits.add_(shift)
    assert torch.allclose(ours(x), before, atol=1e-9)


@pytest.mark.parametrize("softness", SOFT)
def test_equal_components_are_one(softness: float) -> None:
    many, one, x = boxes(softness), boxes(softness, components=1), samples(20)
    many.set_boxes(one.centres.detach().expand(3, 2), one.log_sizes.detach().exp().expand(3, 2))
    assert torch.allclose(many(x), one(x), atol=1e-9)


def test_hard_centres_have_no_slope_and_sizes_only_shrink() -> None:
    """The theorem of the failure: with r the responsibilities of the boxes that hold x,
    ∂ log p / ∂ centre = 0 and ∂ log p / ∂ log_size_k = −r_k ≤ 0 for every sample."""
    ours, x = boxes(), samples()
    ours(x).sum().backward()
    assert ours.centres.grad is None or ours.centres.grad.eq(0).all()
    held = ours.inside(x)
    answered = torch.where(held.any(1, keepdim=True), ours.responsibilities(x) * held, 0.0).sum(0)
    assert ours.log_sizes.grad is not None
    assert torch.allclose(ours.log_sizes.grad, -answered[:, None].expand(-1, 2), atol=1e-9)


def test_a_lost_sample_pulls_at_a_soft_box_and_not_at_a_hard_one() -> None:
    far = torch.tensor([[9.0, 9.0]], dtype=torch.float64)
    for softness, pulls in ((0.0, False), (0.5, True)):
        ours = boxes(softness, components=1)
        ours(far).sum().backward()
        slopes = [one.grad for one in (ours.centres, ours.log_sizes)]
        assert any(one is not None and (one > 0.1).all() for one in slopes) == pulls


def test_the_soft_loss_slopes_as_it_should() -> None:
    ours, x = boxes(0.4), samples(5)
    assert torch.autograd.gradcheck(lambda *_: ours.loss(x), tuple(ours.parameters()))


def test_a_soft_box_becomes_the_hard_one() -> None:
    hard, x = boxes(), samples(2000)
    near = boxes(1e-4)
    edge = ((x[:, None] - hard.centres).abs() - hard.log_sizes.exp() / 2).abs()
    clear = hard.inside(x).any(1) & edge.gt(0.01).all(2).all(1)
    assert clear.sum() > 20
    assert torch.allclose(near(x)[clear], hard(x)[clear], atol=1e-9)


@pytest.mark.parametrize("softness", [0.0, 1e-3, 0.3])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_far_samples_stay_finite(softness: float, dtype: torch.dtype) -> None:
    ours = boxes(softness).to(dtype)
    ours.loss(torch.full((1, 2), 1e4, dtype=dtype)).backward()
    assert torch.isfinite(ours(torch.full((1, 2), 1e4, dtype=dtype))).all()
    assert all(torch.isfinite(one.grad).all() for one in ours.parameters() if one.grad is not None)


@pytest.mark.parametrize("softness", SOFT)
def test_samples_have_the_weights_centres_and_variances(softness: float) -> None:
    ours, count = boxes(softness), 40_000
    generator = torch.Generator().manual_seed(3)
    share, weights = torch.bincount(ours.choose(count, generator=generator)) / count, ours.weights.detach()
    assert ((share - weights) / (weights * (1 - weights) / count).sqrt()).abs().max() < 5
    for k in range(3):
        x = ours.conditional_sample(count, k, generator=generator)
        variance = ours.log_sizes[k].detach().exp().square() / 12 + (softness * math.pi) ** 2 / 3
        assert ((x.mean(0) - ours.centres[k].detach()) / (variance / count).sqrt()).abs().max() < 5
        fourth = (x - x.mean(0)).pow(4).mean(0)
        error = ((fourth - variance.square()) / count).sqrt()
        assert ((x.var(0) - variance) / error).abs().max() < 5
        assert softness or ours.inside(x)[:, k].all()


def test_the_start_is_that_of_the_assignment() -> None:
    torch.manual_seed(0)
    sizes = UniformMixtureModel(500).log_sizes.exp()
    assert sizes.min() >= 3 and sizes.max() <= 3.2 + 1e-6 and sizes.std() > 0.04


def test_softness_falls_by_one_factor() -> None:
    path = [annealed(step / 10, first=0.5, last=0.005) for step in range(11)]
    ratios = [b / a for a, b in itertools.pairwise(path)]
    assert path[0] == 0.5 and path[-1] == pytest.approx(0.005)
    assert max(ratios) - min(ratios) < 1e-12
