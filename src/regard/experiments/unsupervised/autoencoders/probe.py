"""Linear probe: a classifier on fixed features, for what a representation makes easy to read off."""

from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from regard.errors import RegardError
from regard.shapes import Float, Int


@dataclass(frozen=True)
class Probe:
    """Logistic regression for each repeat: the class with the largest z W + b, z standardised."""

    mean: Float[Tensor, "r 1 c"]
    deviation: Float[Tensor, "r 1 c"]
    weight: Float[Tensor, "r c k"]
    bias: Float[Tensor, "r 1 k"]

    def scores(self, z: Float[Tensor, "r b c"]) -> Float[Tensor, "r b k"]:
        """The score of each class."""
        return torch.baddbmm(self.bias, (z - self.mean) / self.deviation, self.weight)

    def correct(self, z: Float[Tensor, "r b c"], labels: Int[Tensor, " b"]) -> Float[Tensor, "r b"]:
        """1 where the class is right, 0 where it is not: its mean is the accuracy."""
        return (self.scores(z).argmax(-1) == labels).float()


def fit_probe(
    z: Float[Tensor, "r b c"],
    labels: Int[Tensor, " b"],
    *,
    classes: int,
    strength: float = 1.0,
    tolerance: float = 1e-4,
) -> Probe:
    """Logistic regression on standardised features, at the minimum of Σ −log p(label) + |W|² / (2·strength).

    Of features that never change nothing is learned. This is scikit-learn's LogisticRegression(C=strength)
    after its StandardScaler; no entry of the gradient, for each point, is above the tolerance at the end.

    >>> z = torch.tensor([[[-2.0], [-1.0], [1.0], [2.0]]])
    >>> fit_probe(z, torch.tensor([0, 0, 1, 1]), classes=2).correct(z, torch.tensor([0, 1, 1, 1]))
    tensor([[1., 0., 1., 1.]])
    """
    repeats, count = z.shape[:2]
    if len(labels) != count or labels.min() < 0 or labels.max() >= classes:
        raise RegardError(
            "every point needs a label below the number of classes",
            f"{count} points, {len(labels)} labels up to {int(labels.max())}, {classes} classes",
            "pass one label for each point, from 0 to classes - 1",
        )
    mean, deviation = z.mean(1, keepdim=True), z.std(1, correction=0, keepdim=True)
    deviation = torch.where(deviation > 1e-6 * deviation.amax(), deviation, torch.ones_like(deviation))
    scaled = (z - mean) / deviation
    basis = _basis(scaled, strength)
    features, targets = scaled @ basis, labels.repeat(repeats)
    mix = torch.zeros(repeats, basis.shape[2], classes, dtype=z.dtype, device=z.device, requires_grad=True)
    bias = torch.zeros(repeats, 1, classes, dtype=z.dtype, device=z.device, requires_grad=True)

    def loss() -> Tensor:
        optimiser.zero_grad()
        misfit = cross_entropy(torch.baddbmm(bias, features, mix).flatten(0, 1), targets, reduction="sum")
        value = (misfit + (basis @ mix).square().sum() / (2 * strength)) / count
        value.backward()
        return value

    optimiser = torch.optim.LBFGS(
        [mix, bias], max_iter=500, tolerance_grad=tolerance, line_search_fn="strong_wolfe"
    )
    optimiser.step(loss)
    return Probe(mean, deviation, (basis @ mix).detach(), bias.detach())


def _basis(features: Float[Tensor, "r b c"], strength: float) -> Float[Tensor, "r c i"]:
    """Directions in which the loss is about equally curved, and none along which no feature varies.

    The minimum stays where it is: weights along such directions are zero there. It is found in a few steps.
    """
    count = features.shape[1]
    values, vectors = torch.linalg.eigh(features.mT @ features / count)
    used = int((values > 1e-6 * values[:, -1:]).sum(1).max())
    curvature = values[:, None, -used:].clamp(min=0) / 4 + 1 / (strength * count)
    return vectors[:, :, -used:] / curvature.sqrt()
