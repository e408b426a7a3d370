"""Functions and classes that are told the parameters of a mixture."""

import math

import pytest
import torch

from regard.checker.live import check


def gmm_log_prob(x, weights, means, covariances):
    normal = torch.distributions.MultivariateNormal(means, covariances)
    return (weights.log() + normal.log_prob(x[:, None])).logsumexp(1)


def gmm_nll(points, mu, log_var, logits):
    square = (points[:, None] - mu).square() / log_var.exp() + log_var + math.log(2 * math.pi)
    return -(logits.log_softmax(0) - 0.5 * square.sum(-1)).logsumexp(1).mean()


def mixture_responsibilities(x, pi, mu, std):
    square = ((x[:, None] - mu) / std).square().sum(-1)
    return (pi.log() - 0.5 * square - std.log().sum(-1)).softmax(1)


def mixture_log_density(x, weights, means, stds):
    """The logarithm of the deviations is taken half."""
    square = (((x[:, None] - means) / stds) ** 2 + math.log(2 * math.pi)).sum(-1)
    return (weights.log() - 0.5 * (square + stds.log().sum(-1))).logsumexp(1)


class MixtureDensity:
    """Made from its parameters."""

    def __init__(self, pi: torch.Tensor, mu: torch.Tensor, var: torch.Tensor) -> None:
        self.pi, self.mu, self.precision = pi, mu, 1 / var

    def log_prob(self, x: torch.Tensor) -> torch.Tensor:
        square = (x[:, None] - self.mu).square() * self.precision - torch.log(self.precision / (2 * math.pi))
        return (self.pi.log() - 0.5 * square.sum(-1)).logsumexp(1)


@pytest.mark.parametrize("thing", [gmm_log_prob, gmm_nll, mixture_responsibilities, MixtureDensity])
def test_parameters_are_given_as_their_names_say(thing) -> None:
    found = check(thing, contract="gaussian-mixture").verdicts[0]
    assert found.state == "correct", found.sentence


def test_a_function_is_found_by_its_name_and_its_parameters() -> None:
    found = check(gmm_log_prob).verdicts[0]
    assert (found.contract, found.state) == ("gaussian-mixture", "correct")


def test_a_mistake_in_a_function_is_named() -> None:
    found = check(mixture_log_density, contract="gaussian-mixture", strict=True).verdicts[0]
    assert found.state == "mistake"
    assert "half" in found.sentence or "log-variances" in found.sentence, found.sentence
