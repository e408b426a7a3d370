"""Gaussian mixtures: the density against torch's own and scikit-learn's, its laws, samples and messages."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor
from torch.distributions import MultivariateNormal

from regard.core.attend import attend
from regard.core.similarity import Gaussian
from regard.errors import RegardError
from regard.models.mixture.gaussian import GaussianMixtureModel, Mixture

KINDS = ("diagonal", "spherical", "full", "tied")
SEEDS = st.integers(0, 2**31)


def mixture(
    kind: str = "diagonal", components: int = 5, width: int = 3, seed: int = 0
) -> GaussianMixtureModel:
    """A mixture whose every parameter is random."""
    torch.manual_seed(seed)
    found = GaussianMixtureModel(components, width, covariance=kind).double()
    with torch.no_grad():
        for parameter in found.parameters():
            parameter.normal_(std=0.7)
    return found


def samples(count: int = 11, width: int = 3, seed: int = 1) -> Tensor:
    generator = torch.Generator().manual_seed(seed)
    return 2 * torch.randn(count, width, generator=generator, dtype=torch.float64)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@given(seed=SEEDS)
def test_the_density_is_the_sum_of_torchs_own(kind: str, seed: int) -> None:
    ours, x = mixture(kind, seed=seed), samples(seed=seed + 1)
    parts = zip(ours.logits.softmax(0), ours.means, ours.covariances(), strict=True)
    whole = sum(weight * MultivariateNormal(mean, spread).log_prob(x).exp() for weight, mean, spread in parts)
    assert torch.allclose(ours(x), whole.log(), atol=1e-10, rtol=1e-10)


@pytest.mark.parametrize(("kind", "theirs"), [("diagonal", "diag"), *((kind, kind) for kind in KINDS[1:])])
def test_the_density_is_scikit_learns(kind: str, theirs: str) -> None:
    from sklearn.mixture import GaussianMixture as Peer

    ours, x = mixture(kind), samples(200)
    peer = Peer(ours.components, covariance_type=theirs)
    peer.weights_, peer.means_ = (one.detach().numpy() for one in (ours.weights, ours.means))
    spread = {"diag": (-ours.log_variances / 2).exp(), "spherical": (-ours.log_variances[:, 0] / 2).exp()}
    spread["full"] = torch.linalg.inv(ours.factors()).mT
    spread["tied"] = spread["full"][0]
    peer.precisions_cholesky_ = spread[theirs].detach().numpy()
    assert abs(ours(x).detach().numpy() - peer.score_samples(x.numpy())).max() < 1e-10
    assert abs(ours.responsibilities(x).detach().numpy() - peer.predict_proba(x.numpy())).max() < 1e-10


def test_the_assignment_s_two_dimensional_formula_with_the_half_it_lacks() -> None:
    ours, x = mixture(width=2, components=3), samples(7, 2)
    weights = ours.logits.exp() / ours.logits.exp().sum()
    for n in range(7):
        density = 0.0
        for k in range(3):
            variance = ours.log_variances[k].exp()
            gap = (x[n] - ours.means[k]).square() / variance
            density += weights[k] * (-gap.sum() / 2).exp() / (2 * math.pi * variance.prod().sqrt())
        assert abs(ours(x)[n] - density.log()) < 1e-12


def test_a_full_covariance_by_hand() -> None:
    """L = (2 0; 3 1/2), so Σ = (4 6; 6 9.25), whose determinant is 1 and whose inverse is (9.25 −6; −6 4)."""
    ours = GaussianMixtureModel(1, covariance="full").double()
    assert ours.lower is not None
    with torch.no_grad():
        ours.means.zero_()
        ours.log_variances.copy_(torch.tensor([[4.0, 0.25]]).double().log())
        ours.lower.fill_(3.0)
    assert torch.allclose(ours.covariances()[0], torch.tensor([[4.0, 6.0], [6.0, 9.25]]).double())
    x = torch.tensor([[1.0, 2.0]], dtype=torch.float64)
    expected = -math.log(2 * math.pi) - (9.25 - 24 + 16) / 2
    assert abs(ours(x).item() - expected) < 1e-12


def test_responsibilities_are_attention() -> None:
    """Samples are queries, means are keys: softmax of log( π_k N(x; mean_k, variance_k) )."""
    ours, x = mixture(), samples()
    similarity = Gaussian(log_variance=ours.log_variances, log_weight=ours.logits.log_softmax(0))
    q, k = x[None, None], ours.means[None, None]
    attended = attend(q, k, k, similarity=similarity, weights=True)
    assert attended.weights is not None
    assert torch.allclose(attended.weights[0, 0], ours.responsibilities(x), atol=1e-12)
    blurred = ours.responsibilities(x) @ ours.means
    assert torch.allclose(attended.output[0, 0], blurred, atol=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_the_density_integrates_to_one(kind: str) -> None:
    ours = mixture(kind, components=3, width=2)
    side = torch.linspace(-20, 20, 801, dtype=torch.float64)
    grid = torch.cartesian_prod(side, side)
    whole = ours(grid).exp().sum() * (side[1] - side[0]) ** 2
    assert abs(whole.item() - 1) < 1e-6


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@given(seed=SEEDS)
def test_the_order_of_components_means_nothing(kind: str, seed: int) -> None:
    ours, x = mixture(kind, seed=seed), samples(seed=seed + 1)
    before = ours(x)
    order = torch.randperm(5)
    with torch.no_grad():
        for parameter in ours.parameters():
            if len(parameter) == 5:  # a tied covariance is everybody's
                parameter.copy_(parameter[order].clone())
    assert torch.allclose(ours(x), before, atol=1e-12)


@given(seed=SEEDS, shift=st.floats(-50, 50))
def test_a_constant_on_the_logits_means_nothing(seed: int, shift: float) -> None:
    ours, x = mixture(seed=seed), samples(seed=seed + 1)
    before = ours(x)
    with torch.no_grad():
        ours.logits.add_(shift)
    assert torch.allclose(ours(x), before, atol=1e-10)


@pytest.mark.parametrize("kind", KINDS)
def test_equal_components_are_one(kind: str) -> None:
    many, one, x = mixture(kind), mixture(kind, components=1, seed=4), samples()
    with torch.no_grad():
        for name, parameter in many.named_parameters():
            if name != "logits":
                parameter.copy_(one.get_parameter(name).expand_as(parameter))
    assert torch.allclose(many(x), one(x), atol=1e-12)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_far_samples_stay_finite_and_so_do_their_slopes(dtype: torch.dtype) -> None:
    ours = mixture().to(dtype)
    x = torch.full((1, 3), 1e6, dtype=dtype, requires_grad=True)
    ours(x).sum().backward()
    assert torch.isfinite(ours(x)).all() and x.grad is not None and torch.isfinite(x.grad).all()
    assert all(torch.isfinite(one.grad).all() for one in ours.parameters() if one.grad is not None)


@pytest.mark.parametrize("kind", KINDS)
def test_the_loss_slopes_as_it_should(kind: str) -> None:
    ours, x = mixture(kind, components=2), samples(3)
    parameters = tuple(ours.parameters())
    assert torch.autograd.gradcheck(lambda *_: ours.loss(x), parameters)
    assert abs((ours.loss(x) + ours(x).mean()).item()) < 1e-15


@pytest.mark.parametrize("kind", KINDS)
def test_samples_have_the_weights_means_and_covariances(kind: str) -> None:
    ours, count = mixture(kind, components=3, width=2), 40_000
    generator = torch.Generator().manual_seed(5)
    chosen = ours.choose(count, generator=generator)
    share, weights = torch.bincount(chosen, minlength=3) / count, ours.weights.detach()
    assert ((share - weights) / (weights * (1 - weights) / count).sqrt()).abs().max() < 5
    for k in range(3):
        x = ours.conditional_sample(count, k, generator=generator)
        spread = ours.covariances()[k].detach()
        z = (x.mean(0) - ours.means[k]) / (spread.diagonal() / count).sqrt()
        assert z.abs().max() < 5
        variances = spread.diagonal()[:, None] * spread.diagonal() + spread.square()
        assert ((x.T.cov() - spread) / (variances / count).sqrt()).abs().max() < 5
    x = ours.sample(count, generator=generator)
    mean = (ours.weights @ ours.means).detach()
    assert ((x.mean(0) - mean) / (x.var(0) / count).sqrt()).abs().max() < 5


def test_one_seed_one_result() -> None:
    def drawn() -> Tensor:
        torch.manual_seed(42)
        return GaussianMixtureModel(4).sample(9)

    assert torch.equal(drawn(), drawn())


def test_the_start_is_that_of_the_assignment() -> None:
    torch.manual_seed(0)
    ours = GaussianMixtureModel(2000)
    assert ours.log_variances.eq(0).all() and ours.lower is None
    for parameter in (ours.logits, ours.means):
        assert abs(parameter.mean()) < 0.1 and abs(parameter.std() - 1) < 0.1


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (
            lambda: GaussianMixtureModel(0),
            "a mixture has at least one component and one axis\n  got: components=0, width=2\n  fix: pass whole numbers of 1 or more",
        ),
        (
            lambda: GaussianMixtureModel(2, covariance="diagnal"),
            "no covariance of that kind\n  got: 'diagnal'\n  fix: did you mean 'diagonal'?",
        ),
        (
            lambda: GaussianMixtureModel(2)(torch.zeros(4, 3)),
            "the samples are not as wide as the mixture\n  got: 3 columns, built for 2\n  fix: pass samples with 2 columns, or build it with width=3",
        ),
        (
            lambda: GaussianMixtureModel(2).conditional_sample(5, 2),
            "no component of that number\n  got: component=2, of 2\n  fix: pass a number from 0 to 1",
        ),
    ],
)
def test_mistakes_are_told_in_three_lines(call, told: str) -> None:
    with pytest.raises(RegardError) as caught:
        call()
    assert str(caught.value) == told


def test_a_mixture_of_nothing_in_particular_says_so() -> None:
    with pytest.raises(NotImplementedError):
        Mixture(2)(torch.zeros(1, 2))


@pytest.mark.parametrize("kind", ["diagonal", "full"])
def test_a_draw_is_the_mean_and_the_factor_times_normal_numbers(kind: str) -> None:
    torch.manual_seed(0)
    mixture = GaussianMixtureModel(2, 3, covariance=kind)
    if mixture.lower is not None:
        torch.nn.init.normal_(mixture.lower)
    component = torch.tensor([1, 0, 1])
    with torch.no_grad():
        drawn = mixture.draw(component, torch.Generator().manual_seed(5))
        z = torch.randn(3, 3, generator=torch.Generator().manual_seed(5))
        expected = mixture.means[component] + (mixture.factors()[component] @ z.unsqueeze(-1)).squeeze(-1)
    torch.testing.assert_close(drawn, expected)
