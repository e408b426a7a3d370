"""Expectation-maximisation (EM) for Gaussian mixtures, in blocks: memory does not grow with n × k.

A Gaussian is an exponential family: log( π_k p(x | k) ) = φ(x) · η_k with the features φ(x) = (1, x, squares
and products of x). Both halves of EM are then matrix products with φ: scores φ η, and moments, the mean over
samples of p(k | x) φ(x).
"""

from collections.abc import Iterator
from math import log

import torch
from torch import Tensor

from regard.errors import RegardError
from regard.models.mixture.gaussian import GaussianMixtureModel
from regard.shapes import Float, Int

BLOCK = 1 << 16
"Numbers in a block of scores: about what a core's own cache holds."
TINY, HUGE = 1e-280, 1e280
"Densities between these are exact as they are: only others need their largest score taken out first."
EMPTY = 1e-12
"A component that answers for fewer samples than this stays where it is."


class EM:
    """Alternates between who answers for whom and what follows from it.

    Samples and means are taken relative to `centre`: else the squares of far data would drown its spread. The
    M-step under the condition variance ≥ `least` is exact, so the likelihood never falls.

    >>> torch.manual_seed(0); mixture = GaussianMixtureModel(components=2, width=1).double()
    <torch...>
    >>> x = torch.tensor([[-1.0], [-3.0], [4.0], [6.0]], dtype=torch.float64)
    >>> steps = list(fit(mixture, x, steps=50))
    >>> sorted(round(mean, 3) for mean in mixture.means.flatten().tolist()), steps[0] < steps[-1]
    ([-2.0, 5.0], True)
    """

    def __init__(
        self, model: GaussianMixtureModel, centre: Float[Tensor, " d"], *, least: float = 1e-6
    ) -> None:
        self.model, self.least = model, least
        self.centre = centre.double()

    @torch.no_grad()
    def expect(self, x: Float[Tensor, "n d"]) -> tuple[float, Float[Tensor, "k f"]]:
        """The mean log-likelihood, and the mean over samples of p(k | x) φ(x)."""
        natural = self.natural().T.contiguous()
        likelihood = torch.zeros((), dtype=torch.float64, device=x.device)
        moments = torch.zeros_like(natural)
        for block in x.split(max(256, BLOCK // self.model.components)):
            phi = self.features(block)
            joint = (phi @ natural).exp_()
            total = joint.sum(1, keepdim=True)
            least, most = total.aminmax()
            if least < TINY or most > HUGE:
                top, joint = _shifted(phi @ natural)
                total = joint.sum(1, keepdim=True)
                likelihood += top.sum()
            likelihood += total.log().sum()
            # Responsibilities are joint / total; of the two factors the features are the smaller to divide.
            # Products this thin are twice as quick in this order as in the other.
            moments.addmm_(phi.div_(total).T, joint)
        return float(likelihood) / len(x), moments.T / len(x)

    @torch.no_grad()
    def assign(self, x: Float[Tensor, "n d"], component: Int[Tensor, " n"]) -> Float[Tensor, "k f"]:
        """The moments where each sample is wholly that of one component."""
        moments = torch.zeros_like(self.natural())
        size = max(256, BLOCK // self.model.components)
        for block, own in zip(x.split(size), component.split(size), strict=True):
            moments.index_add_(0, own, self.features(block))
        return moments / len(x)

    def features(self, x: Float[Tensor, "n d"]) -> Float[Tensor, "n f"]:
        """φ(x): one, the sample, and the squares that the covariance needs."""
        x = x.double() - self.centre
        one, kind = x.new_ones(len(x), 1), self.model.covariance
        if kind in ("full", "tied"):
            rows, columns = torch.triu_indices(self.model.width, self.model.width)
            return torch.cat([one, x, x[:, rows] * x[:, columns]], 1)
        square = x.square()
        return torch.cat([one, x, square.sum(1, keepdim=True) if kind == "spherical" else square], 1)

    @torch.no_grad()
    def natural(self) -> Float[Tensor, "k f"]:
        """η: the coefficients of the features in log( π_k p(x | k) )."""
        model = self.model
        means, spread = model.means.double() - self.centre, model.log_variances.double()
        weight = model.logits.double().log_softmax(0) - model.width * log(2 * torch.pi) / 2
        log_volume = spread.expand(-1, model.width).sum(1) / 2
        if model.lower is not None:
            precision = torch.cholesky_inverse(model.factors().double())
            linear = torch.einsum("kij,kj->ki", precision, means)
            rows, columns = torch.triu_indices(model.width, model.width)
            square = precision[:, rows, columns] * torch.where(rows == columns, -0.5, -1.0)
        else:
            linear, square = means * (-spread).exp(), -(-spread).exp() / 2
        constant = weight - log_volume - (linear * means).sum(1) / 2
        return torch.cat([constant[:, None], linear, square], 1)

    @torch.no_grad()
    def maximise(self, moments: Float[Tensor, "k f"]) -> None:
        """Set the mixture to what is most likely under the moments."""
        model, width = self.model, self.model.width
        share = moments[:, :1]
        alive = share[:, 0] > EMPTY
        model.logits.copy_(share[:, 0].clamp(min=EMPTY).log())
        first, second = (
            moments[alive, 1 : 1 + width] / share[alive],
            moments[alive, 1 + width :] / share[alive],
        )
        model.means[alive] = (first + self.centre).to(model.means)
        if model.lower is not None:
            self._maximise_full(alive, share[alive], first, second)
            return
        square = first.square()
        if model.covariance == "spherical":
            square, second = square.sum(1, keepdim=True) / width, second / width
        model.log_variances[alive] = (second - square).clamp(min=self.least).log().to(model.means)

    def _maximise_full(self, alive: Tensor, share: Tensor, first: Tensor, second: Tensor) -> None:
        model, width = self.model, self.model.width
        rows, columns = torch.triu_indices(width, width)
        covariance = second.new_empty(len(second), width, width)
        covariance[:, rows, columns] = covariance[:, columns, rows] = (
            second - first[:, rows] * first[:, columns]
        )
        if model.covariance == "tied":
            covariance = (share[:, :, None] * covariance).sum(0, keepdim=True) / share.sum()
            alive = alive[:1].new_ones(1)
        # The most likely covariance among those with no eigenvalue below `least`.
        values, vectors = torch.linalg.eigh(covariance)
        factor = torch.linalg.qr((vectors * values.clamp(min=self.least).sqrt()[:, None]).mT).R.mT
        factor = factor * factor.diagonal(dim1=1, dim2=2).sign()[:, None]
        below = torch.tril_indices(width, width, -1)
        assert model.lower is not None
        model.log_variances[alive] = 2 * factor.diagonal(dim1=1, dim2=2).log().to(model.means)
        model.lower[alive] = factor[:, below[0], below[1]].to(model.means)


def _shifted(scores: Float[Tensor, "n k"]) -> tuple[Float[Tensor, "n 1"], Float[Tensor, "n k"]]:
    """The largest score of each sample, and the exponentials of all relative to it."""
    top = scores.amax(1, keepdim=True)
    return top, (scores - top).exp()


def fit(
    model: GaussianMixtureModel,
    x: Float[Tensor, "n d"],
    *,
    steps: int = 100,
    tolerance: float = 0.0,
    least: float = 1e-6,
    draft: int = 0,
) -> Iterator[float]:
    """EM from where the mixture stands; yields the mean log-likelihood there, then after each step.

    It ends after `steps`, or when a step has raised the likelihood by no more than `tolerance`. Of many
    samples a random `draft` of so many may go first, to the same end: its steps are cheaper, few are left.
    """
    _check(model, x)
    if 0 < draft < len(x):
        some = torch.randperm(len(x), generator=torch.Generator().manual_seed(0))[:draft]
        for _ in fit(model, x[some.to(x.device)], steps=steps, tolerance=tolerance, least=least):
            pass
    em = EM(model, x.double().mean(0), least=least)
    likelihood, moments = em.expect(x)
    yield likelihood
    for _ in range(steps):
        em.maximise(moments)
        last, (likelihood, moments) = likelihood, em.expect(x)
        yield likelihood
        if likelihood - last <= tolerance:
            return


def _check(model: GaussianMixtureModel, x: Tensor) -> None:
    if len(x) < model.components:
        raise RegardError(
            "fewer samples than components",
            f"{len(x)} samples for {model.components} components",
            "pass more samples, or build the mixture with fewer components",
        )
    model.check(x)
    if not torch.isfinite(x).all():
        bad = int((~torch.isfinite(x)).any(1).nonzero()[0])
        raise RegardError(
            "a sample is not finite", f"row {bad}: {x[bad].tolist()}", "remove it, or fill it in"
        )
