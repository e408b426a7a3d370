"""EM against a float64 loop and scikit-learn's, and that it never falls; blocks, far data, bad input."""

import itertools

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor
from torch.distributions import MultivariateNormal

from regard.errors import RegardError
from regard.models.mixture import em
from regard.models.mixture.em import EM, fit
from regard.models.mixture.gaussian import GaussianMixtureModel

KINDS = ("diagonal", "spherical", "full", "tied")


def clusters(count: int = 300, width: int = 2, seed: int = 0) -> Tensor:
    generator = torch.Generator().manual_seed(seed)
    centres = 4 * torch.randn(3, width, generator=generator, dtype=torch.float64)
    which = torch.randint(3, (count,), generator=generator)
    return centres[which] + torch.randn(count, width, generator=generator, dtype=torch.float64)


def mixture(
    kind: str = "diagonal", components: int = 3, width: int = 2, seed: int = 0
) -> GaussianMixtureModel:
    torch.manual_seed(seed)
    found = GaussianMixtureModel(components, width, covariance=kind).double()
    with torch.no_grad():
        for parameter in found.parameters():
            parameter.normal_()
    return found


def by_loops(model: GaussianMixtureModel, x: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Mean log-likelihood, then weights, means and covariances after one step, written out."""
    parts = zip(model.weights, model.means, model.covariances(), strict=True)
    joint = torch.stack([w * MultivariateNormal(m, c).log_prob(x).exp() for w, m, c in parts], 1)
    r = joint / joint.sum(1, keepdim=True)
    means = torch.stack([(r[:, k, None] * x).sum(0) / r[:, k].sum() for k in range(r.shape[1])])
    spread = []
    for k in range(r.shape[1]):
        gap = x - means[k]
        full = sum(r[n, k] * torch.outer(gap[n], gap[n]) for n in range(len(x))) / r[:, k].sum()
        diagonal = full.diagonal()
        kinds = {
            "full": full,
            "diagonal": diagonal.diag(),
            "spherical": diagonal.mean() * torch.eye(len(full)),
        }
        spread.append(kinds["full" if model.covariance == "tied" else model.covariance])
    if model.covariance == "tied":
        shares = zip(r.mean(0), spread, strict=True)
        spread = len(spread) * [sum((share * one for share, one in shares), torch.zeros_like(spread[0]))]
    return joint.sum(1).log().mean(), r.mean(0), means, torch.stack(spread)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@given(seed=st.integers(0, 10_000))
def test_one_step_is_the_loops(kind: str, seed: int) -> None:
    model, x = mixture(kind, width=3, seed=seed), clusters(23, 3, seed)
    with torch.no_grad():
        model.means.copy_(x[:3])
        model.log_variances.fill_(2.0)  # wide enough that nobody is empty
        expected = by_loops(model, x)
    likelihood, _ = fit(model, x, steps=1)
    assert likelihood == pytest.approx(float(expected[0]), abs=1e-10)
    for found, wanted in zip((model.weights, model.means, model.covariances()), expected[1:], strict=True):
        assert torch.allclose(found, wanted.to(found), atol=1e-6, rtol=1e-6)


@pytest.mark.parametrize(("kind", "theirs"), [("diagonal", "diag"), *((kind, kind) for kind in KINDS[1:])])
@pytest.mark.filterwarnings("ignore:Best performing initialization did not converge")
def test_ten_steps_are_scikit_learns(kind: str, theirs: str) -> None:
    from sklearn.mixture import GaussianMixture as Peer

    x, model = clusters(), mixture(kind)
    with torch.no_grad():
        model.logits.zero_()
        model.means.copy_(x[:3])
        model.log_variances.zero_()
        if model.lower is not None:
            model.lower.zero_()
    starts = {"diag": np.ones((3, 2)), "spherical": np.ones(3), "full": np.stack([np.eye(2)] * 3)}
    start = {**starts, "tied": np.eye(2)}[theirs]
    peer = Peer(
        3, covariance_type=theirs, weights_init=np.full(3, 1 / 3), means_init=x[:3].numpy(),
        precisions_init=start, max_iter=10, tol=0.0, reg_covar=0.0,
    ).fit(x.numpy())  # fmt: skip
    *_, last = fit(model, x, steps=10, tolerance=-1.0)
    assert last == pytest.approx(peer.score(x.numpy()), abs=1e-9)
    assert abs(model.means.detach().numpy() - peer.means_).max() < 1e-9
    assert abs(model.weights.detach().numpy() - peer.weights_).max() < 1e-9


@pytest.mark.parametrize("kind", KINDS)
def test_samples_that_are_wholly_one_components_give_its_own_moments(kind: str) -> None:
    x, model = clusters(50), mixture(kind)
    own, steps = torch.arange(50) % 3, EM(model, x.mean(0))
    steps.maximise(steps.assign(x, own))
    for k in range(3):
        assert torch.allclose(model.means[k], x[own == k].mean(0), atol=1e-12)
    assert torch.allclose(model.weights, own.bincount().double() / 50, atol=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@given(seed=st.integers(0, 10_000), components=st.integers(1, 7))
def test_the_likelihood_never_falls(kind: str, seed: int, components: int) -> None:
    """Also where variances are held at their least: the M-step is exact under that condition."""
    x = clusters(31, 2, seed).round()  # rounding piles samples up, so that components collapse
    path = list(fit(mixture(kind, components, seed=seed), x, steps=30, tolerance=-1.0, least=1e-3))
    assert min(b - a for a, b in itertools.pairwise(path)) > -1e-9


@pytest.mark.parametrize("kind", KINDS)
def test_blocks_change_nothing(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    x, found = clusters(1000), []
    for block in (1 << 30, 1):
        monkeypatch.setattr(em, "BLOCK", block)
        likelihood, moments = EM(mixture(kind), x.mean(0)).expect(x)
        found.append((likelihood, moments))
    assert found[0][0] == pytest.approx(found[1][0], abs=1e-12)
    assert torch.allclose(found[0][1], found[1][1], atol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_far_data_keeps_its_spread(kind: str) -> None:
    """A million away from zero, squares are 10^12: without a centre variances of 1 would drown."""
    near, far = mixture(kind, seed=2), mixture(kind, seed=2)
    x = clusters()
    with torch.no_grad():
        far.means.add_(1e6)
    paths = [list(fit(model, data, steps=20, tolerance=-1.0)) for model, data in ((near, x), (far, x + 1e6))]
    assert np.allclose(paths[0], paths[1], atol=1e-6)
    assert torch.allclose(near.covariances(), far.covariances(), atol=1e-6)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("far", [1e3, 1e6])
def test_a_sample_far_from_all_is_counted_too(kind: str, far: float) -> None:
    """Its density is below the smallest number: the block is taken relative to its largest score."""
    model, x = mixture(kind), clusters(50)
    x[7] = far
    likelihood, moments = EM(model, torch.zeros(2)).expect(x)
    assert likelihood == pytest.approx(model(x).mean().item(), rel=1e-9)
    assert torch.allclose(moments[:, 0], model.responsibilities(x).mean(0), atol=1e-12)


def test_a_sample_of_enormous_density_is_counted_too() -> None:
    model = mixture(width=200, components=2)
    x = model.means.detach().repeat(3, 1)
    with torch.no_grad():
        model.log_variances.fill_(-13.0)
    assert EM(model, x.mean(0)).expect(x)[0] == pytest.approx(model(x).mean().item(), rel=1e-9)


@pytest.mark.parametrize("kind", KINDS)
def test_an_empty_component_stays_and_constant_columns_have_the_least_variance(kind: str) -> None:
    x = clusters()
    x[:, 1] = 5.0
    model = mixture(kind)
    with torch.no_grad():
        model.means[:2] = x[:2]
        model.means[2] = 1e5
    path = list(fit(model, x, steps=20))
    assert np.isfinite(path).all() and torch.isfinite(model(x)).all()
    assert torch.equal(model.means[2], torch.full((2,), 1e5, dtype=torch.float64))
    assert model.weights[2] < 1e-11
    least = model.covariances()[:2, 1, 1]
    assert torch.allclose(least, torch.full((2,), 1e-6).double()) or kind == "spherical"


def test_a_draft_goes_first_and_the_whole_ends_no_worse() -> None:
    x = clusters(4000)
    plain, drafted = (mixture(seed=3) for _ in range(2))
    slow = list(fit(plain, x, tolerance=1e-6))
    quick = list(fit(drafted, x, tolerance=1e-6, draft=400))
    assert len(quick) < len(slow) and quick[0] > slow[0] + 0.1
    assert quick[-1] == pytest.approx(slow[-1], abs=1e-3)
    assert list(fit(mixture(seed=3), x, tolerance=1e-6, draft=10**6)) == slow


def test_one_sample_is_one_component_of_least_variance() -> None:
    model = mixture(components=1)
    list(fit(model, torch.ones(1, 2).double(), steps=3))
    assert torch.allclose(model.means, torch.ones(1, 2).double())
    assert torch.allclose(model.log_variances.exp(), torch.full((1, 2), 1e-6).double())


def test_a_single_precision_mixture_fits_too() -> None:
    path = list(fit(mixture().float(), clusters().float(), steps=30))
    assert path[-1] == pytest.approx(list(fit(mixture(), clusters(), steps=30))[-1], abs=1e-4)


@pytest.mark.parametrize(
    ("x", "told"),
    [
        (
            torch.zeros(2, 2),
            "fewer samples than components\n  got: 2 samples for 3 components\n  fix: pass more samples, or build the mixture with fewer components",
        ),
        (
            torch.tensor([[0.0, 1.0], [2.0, torch.nan], [0.0, 0.0]]),
            "a sample is not finite\n  got: row 1: [2.0, nan]\n  fix: remove it, or fill it in",
        ),
        (
            torch.zeros(5, 3),
            "the samples are not as wide as the mixture\n  got: 3 columns, built for 2\n  fix: pass samples with 2 columns, or build it with width=3",
        ),
    ],
)
def test_bad_samples_are_told_in_three_lines(x: Tensor, told: str) -> None:
    with pytest.raises(RegardError) as caught:
        next(fit(mixture(), x))
    assert str(caught.value) == told
