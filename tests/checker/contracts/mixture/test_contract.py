"""Mixtures of Gaussians in the styles people write."""

import math
from collections.abc import Callable

import pytest
import torch
from torch import nn
from torch.distributions import Categorical, MixtureSameFamily, MultivariateNormal

from regard.checker.live import check

NAMES = [
    "GMM",
    "WithDistributions",
    "AnyDimension",
    "AsPrinted",
    "WideSamples",
    "OneForAll",
    "Even",
    "SharedNoise",
    "WrongOne",
    "Gains",
    "Underflows",
    "TwoAtOnce",
]


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_each_style_is_judged_as_it_is(name: str, style: Callable) -> None:
    module = style("mixtures")
    contract, expected = module.EXPECTED[name]
    verdict = check(getattr(module, name), contract=contract, strict=bool(expected)).verdicts[0]
    assert verdict.slugs == expected, verdict.sentence
    assert verdict.state == ("mistake" if expected else "correct"), verdict.sentence


def test_all_programs_answer_as_before(known_answers) -> None:
    known_answers("gaussian-mixture")


class Factored(nn.Module):
    """Whole covariances by a triangular factor, whose diagonal is exp(log_diag)."""

    def __init__(self, n_components: int, dim: int) -> None:
        super().__init__()
        self.logits = nn.Parameter(torch.zeros(n_components))
        self.means = nn.Parameter(torch.randn(n_components, dim))
        self.log_diag = nn.Parameter(torch.zeros(n_components, dim))
        self.below = nn.Parameter(torch.zeros(n_components, dim, dim))

    def factor(self) -> torch.Tensor:
        return torch.diag_embed(self.log_diag.exp()) + self.below.tril(-1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        shapes = MultivariateNormal(self.means, scale_tril=self.factor())
        return MixtureSameFamily(Categorical(logits=self.logits), shapes).log_prob(x)

    def sample(self, n_samples: int) -> torch.Tensor:
        label = Categorical(logits=self.logits).sample((n_samples,))
        noise = torch.randn(n_samples, self.means.shape[1], 1, dtype=self.means.dtype)
        return self.means[label] + (self.factor()[label] @ noise)[..., 0]


class Halved(Factored):
    def factor(self) -> torch.Tensor:
        return torch.diag_embed((0.5 * self.log_diag).exp()) + self.below.tril(-1)


class Triangles(Factored):
    """The factor itself is the weight."""

    def __init__(self, n_components: int, dim: int) -> None:
        super().__init__(n_components, dim)
        del self.log_diag, self.below
        self.scale_tril = nn.Parameter(torch.eye(dim).repeat(n_components, 1, 1))

    def factor(self) -> torch.Tensor:
        return self.scale_tril.tril()


class Deviations:
    """Weights and deviations are kept as they are."""

    def __init__(self, n_components: int, dim: int) -> None:
        self.weights = torch.ones(n_components) / n_components
        self.means = torch.randn(n_components, dim)
        self.stds = torch.ones(n_components, dim)

    def log_prob(self, x: torch.Tensor) -> torch.Tensor:
        square = ((x[:, None] - self.means) / self.stds) ** 2
        terms = -0.5 * (square + math.log(2 * math.pi)).sum(-1) - self.stds.log().sum(-1)
        return (terms + self.weights.log()).logsumexp(1)

    def sample(self, n_samples: int) -> torch.Tensor:
        label = torch.multinomial(self.weights, n_samples, replacement=True)
        return self.means[label] + self.stds[label] * torch.randn_like(self.means[label])


@pytest.mark.parametrize("kind", [Factored, Triangles, Deviations])
def test_a_factor_of_the_covariances_holds_deviations(kind: type) -> None:
    verdict = check(kind, contract="gaussian-mixture").verdicts[0]
    assert verdict.state == "correct", verdict.sentence


def test_half_the_logarithm_of_a_factors_diagonal_is_a_mistake() -> None:
    assert check(Halved, contract="gaussian-mixture").verdicts[0].state == "mistake"
