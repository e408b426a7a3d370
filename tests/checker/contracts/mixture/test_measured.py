"""Components that stand far apart show their weights and covariances, however these are kept."""

import math

import pytest
import torch
from torch import nn
from torch.nn import functional

from regard.checker.live import check
from regard.checker.report.verdict import Verdict


class Soft(nn.Module):
    """Deviations by a softplus, and a little more."""

    def __init__(self, n_components: int, dim: int) -> None:
        super().__init__()
        self.logits = nn.Parameter(torch.zeros(n_components))
        self.means = nn.Parameter(torch.randn(n_components, dim))
        self.raw_scale = nn.Parameter(torch.zeros(n_components, dim))

    def scale(self) -> torch.Tensor:
        return functional.softplus(self.raw_scale) + 0.01

    def size(self) -> torch.Tensor:
        return self.scale().log().sum(-1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        square = ((x[:, None] - self.means) / self.scale()).square() + math.log(2 * math.pi)
        return (self.logits.log_softmax(0) - 0.5 * square.sum(-1) - self.size()).logsumexp(1)


class Twice(Soft):
    def size(self) -> torch.Tensor:
        return 2 * self.scale().log().sum(-1)


class Product(Soft):
    """Covariances as a matrix times its transpose."""

    def __init__(self, n_components: int, dim: int) -> None:
        super().__init__(n_components, dim)
        del self.raw_scale
        self.root = nn.Parameter(torch.eye(dim).repeat(n_components, 1, 1))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        whole = self.root @ self.root.mT + 0.01 * torch.eye(x.shape[1], dtype=x.dtype)
        normal = torch.distributions.MultivariateNormal(self.means, whole)
        return (self.logits.log_softmax(0) + normal.log_prob(x[:, None])).logsumexp(1)


class Named(Soft):
    """What is called the logarithm of a variance is held to its name."""

    def __init__(self, n_components: int, dim: int) -> None:
        super().__init__(n_components, dim)
        del self.raw_scale
        self.log_var = nn.Parameter(torch.zeros(n_components, dim))

    def scale(self) -> torch.Tensor:
        return functional.softplus(self.log_var)


def verdict(kind: type) -> Verdict:
    return check(kind, contract="gaussian-mixture", strict=True).verdicts[0]


@pytest.mark.parametrize("kind", [Soft, Product])
def test_a_form_of_its_own_is_measured(kind: type) -> None:
    found = verdict(kind)
    assert (found.state, [f.slug for f in found.findings]) == ("correct", ["own-form"]), found.sentence


@pytest.mark.parametrize("kind", [Twice, Named])
def test_a_density_that_does_not_sum_to_one_or_has_another_name_is_a_mistake(kind: type) -> None:
    assert verdict(kind).state == "mistake"
