"""Samples are judged by their moments, and chance alone is no finding."""

import numpy as np
import pytest
import torch
from torch import nn

from regard.checker.contracts.mixture.methods import moments
from regard.checker.live import check

MEAN, DEVIATION = np.array([3.0, -1.0]), np.array([0.5, 2.0])


def samples(rng: np.random.Generator, deviation: np.ndarray, noise: int = 2) -> np.ndarray:
    return MEAN + deviation * rng.standard_normal((1000, noise))


@pytest.mark.slow
def test_good_samples_pass_under_many_seeds() -> None:
    assert not [
        s
        for s in range(300)
        if moments(samples(np.random.default_rng(s), DEVIATION), MEAN, DEVIATION, "samples")
    ]


@pytest.mark.parametrize(
    ("deviation", "slug"),
    [
        (DEVIATION**2, "sample-variance"),
        (2 * np.log(DEVIATION), "sample-log-variance"),
        (np.ones(2), "sample-unit"),
        (np.sqrt(DEVIATION), "sample-deviation-rooted"),
    ],
)
def test_a_wrong_deviation_is_named(deviation: np.ndarray, slug: str) -> None:
    broken = moments(samples(np.random.default_rng(0), deviation), MEAN, DEVIATION, "samples")
    assert broken
    assert broken.slug == slug


def test_shared_noise_is_named() -> None:
    rng = np.random.default_rng(0)
    for drawn in (samples(rng, DEVIATION, noise=1), np.repeat(samples(rng, DEVIATION)[:1], 1000, 0)):
        broken = moments(drawn, MEAN, DEVIATION, "samples")
        assert broken
        assert broken.slug == "sample-noise-shared"


def test_an_unknown_deviation_has_no_name() -> None:
    broken = moments(samples(np.random.default_rng(0), 3.3 * DEVIATION), MEAN, DEVIATION, "samples")
    assert broken
    assert broken.slug == ""


class GMM(nn.Module):
    """A mixture with a helper called draw, which is no sampler of its own."""

    def __init__(self, n_components, dim=2):
        super().__init__()
        self.logits = nn.Parameter(torch.zeros(n_components))
        self.means = nn.Parameter(torch.randn(n_components, dim))
        self.log_variances = nn.Parameter(torch.zeros(n_components, dim))

    def forward(self, x):
        each = torch.distributions.Normal(self.means, (self.log_variances / 2).exp())
        return (each.log_prob(x[:, None]).sum(-1) + self.logits.log_softmax(0)).logsumexp(1)

    def draw(self, k):
        return self.means[k] + torch.randn_like(self.means[k]) * (self.log_variances[k] / 2).exp()

    def sample(self, n):
        return self.draw(self.logits.softmax(0).multinomial(n, replacement=True))


def test_a_helper_called_draw_is_not_taken_for_the_sampler() -> None:
    (verdict,) = check(GMM, contract="gaussian-mixture").verdicts
    assert verdict.state == "correct"
