"""Mixtures against torch's distributions: equal where they are right, far off where density or samples are wrong."""

import pytest
import torch

from regard.experiments.unsupervised.oracle import density_gap, sample_gap, torch_mixture
from regard.models.mixture.gaussian import GaussianMixtureModel, Mixture
from regard.models.mixture.uniform import UniformMixtureModel


@pytest.fixture(params=[GaussianMixtureModel, UniformMixtureModel])
def mixture(request) -> Mixture:
    torch.manual_seed(0)
    return request.param(4)


def test_a_right_mixture_has_torchs_density_and_draws_by_its_parameters(mixture: Mixture) -> None:
    assert density_gap(mixture, 0) < 1e-12 and sample_gap(mixture, 0) < 5


def test_torchs_mixture_has_the_weighted_mean_of_the_components() -> None:
    model = GaussianMixtureModel(2)
    with torch.no_grad():
        model.means.copy_(torch.tensor([[0.0, 0.0], [4.0, 8.0]]))
        model.logits.copy_(torch.tensor([1.0, 3.0]).log())
    assert torch.allclose(torch_mixture(model).mean, torch.tensor([3.0, 6.0], dtype=torch.float64))


def test_other_samples_and_other_densities_are_far_off(
    mixture: Mixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    kind = type(mixture)
    with monkeypatch.context() as patch:
        draw = kind.draw
        patch.setattr(kind, "draw", lambda self, component, generator: 1.1 * draw(self, component, generator))
        assert sample_gap(mixture, 0) > 5
    conditional = kind.conditional
    monkeypatch.setattr(kind, "conditional", lambda self, x: conditional(self, x) / 2)
    assert density_gap(mixture, 0) > 0.1
