"""A mixture held against torch's own distributions: its log-density, and the moments of what it draws."""

from copy import deepcopy

import torch
from torch import Tensor
from torch.distributions import Categorical, Independent, MixtureSameFamily, Normal, Uniform

from regard.models.mixture.gaussian import GaussianMixtureModel, Mixture
from regard.models.mixture.uniform import UniformMixtureModel

DRAWN, EACH = 20_000, 1000
"Samples of the whole mixture and of each component."


@torch.no_grad()
def torch_mixture(model: Mixture) -> MixtureSameFamily:
    """The mixture with these parameters as torch builds it, in float64: diagonal Gaussians or hard boxes."""
    if isinstance(model, GaussianMixtureModel):
        parts = Normal(model.means.double(), (model.log_variances.double() / 2).exp())
    else:
        assert isinstance(model, UniformMixtureModel)
        half = model.log_sizes.double().exp() / 2
        parts = Uniform(model.centres.double() - half, model.centres.double() + half, validate_args=False)
    weights = Categorical(logits=model.logits.double())
    return MixtureSameFamily(weights, Independent(parts, 1), validate_args=False)


@torch.no_grad()
def density_gap(model: Mixture, seed: int) -> float:
    """The largest difference between log p(x) and torch's, at points that the mixture draws."""
    exact = deepcopy(model).double()
    points = exact.sample(EACH, generator=torch.Generator().manual_seed(seed))
    return (exact(points) - torch_mixture(model).log_prob(points)).abs().max().item()


@torch.no_grad()
def sample_gap(model: Mixture, seed: int) -> float:
    """How far a mean or a variance of samples, of all or of one component, is from the parameters' own, in standard errors."""
    theory, exact = torch_mixture(model), deepcopy(model).double()
    generator = torch.Generator().manual_seed(seed)
    gaps = [_errors(exact.sample(DRAWN, generator=generator), theory.mean, theory.variance)]
    parts = theory.component_distribution
    for number, (mean, variance) in enumerate(zip(parts.mean, parts.variance, strict=True)):
        gaps.append(_errors(exact.conditional_sample(EACH, number, generator=generator), mean, variance))
    return torch.stack(gaps).max().item()


def _errors(samples: Tensor, mean: Tensor, variance: Tensor) -> Tensor:
    """The larger gap of their first two moments, each in its own standard errors."""
    squares = (samples - mean).square()
    count = len(samples) ** 0.5
    first = (samples.mean(0) - mean) / variance.sqrt()
    second = (squares.mean(0) - variance) / squares.std(0)
    return count * torch.cat([first, second]).abs().max()
