"""Gaussian mixture model with unconstrained parameters: gradient descent moves them, EM sets them."""

from math import log

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from regard.arguments import check_sizes, check_tensor, kinds
from regard.core.similarity import Gaussian
from regard.errors import RegardError, nearest
from regard.shapes import Float, Int

COVARIANCES = ("diagonal", "spherical", "full", "tied")
"Kinds of covariance: one variance per axis, one for all axes, any, or any that all components share."
COLUMNS = 2**18
"Samples that are solved for at once: beyond 524,280 torch is wrong on a GPU (pytorch/pytorch#187717)."


class Mixture(nn.Module):
    """p(x) = Σ_k π_k p(x | k) with weights π = softmax(logits): what all mixtures share."""

    def __init__(self, components: int, width: int = 2) -> None:
        if components < 1 or width < 1:
            raise RegardError(
                "a mixture has at least one component and one axis",
                f"components={components}, width={width}",
                "pass whole numbers of 1 or more",
            )
        check_sizes(type(self).__name__, components=components, width=width)
        super().__init__()
        self.components, self.width = components, width
        self.logits = nn.Parameter(torch.randn(components))

    def conditional(self, x: Float[Tensor, "n d"]) -> Float[Tensor, "n k"]:
        """log p(x | k)."""
        raise NotImplementedError

    def draw(
        self, component: Int[Tensor, " n"], generator: torch.Generator | None = None
    ) -> Float[Tensor, "n d"]:
        """One sample of p(x | k) for each k that is given."""
        raise NotImplementedError

    @property
    def weights(self) -> Float[Tensor, " k"]:
        """π_k: the share of each component."""
        return self.logits.softmax(0)

    def check(self, x: Float[Tensor, "n d"]) -> None:
        """Raise where samples have another width."""
        check_tensor(type(self).__name__, "x", x, "n d")
        if x.shape[1] != self.width:
            raise RegardError(
                "the samples are not as wide as the mixture",
                f"{x.shape[1]} columns, built for {self.width}",
                f"pass samples with {self.width} columns, or build it with width={x.shape[1]}",
            )

    def joint(self, x: Float[Tensor, "n d"]) -> Float[Tensor, "n k"]:
        """log( π_k p(x | k) )."""
        self.check(x)
        return F.log_softmax(self.logits, 0) + self.conditional(x)

    def forward(self, x: Float[Tensor, "n d"]) -> Float[Tensor, " n"]:
        """log p(x) of each sample."""
        return self.joint(x).logsumexp(1)

    def loss(self, x: Float[Tensor, "n d"]) -> Float[Tensor, ""]:
        """−mean log p(x): what training makes small."""
        return -self(x).mean()

    def responsibilities(self, x: Float[Tensor, "n d"]) -> Float[Tensor, "n k"]:
        """p(k | x): how much of each sample each component answers for."""
        return self.joint(x).softmax(1)

    @torch.no_grad()
    def choose(self, count: int, *, generator: torch.Generator | None = None) -> Int[Tensor, " n"]:
        """Components drawn by their weights."""
        return torch.multinomial(self.weights, count, replacement=True, generator=generator)

    @torch.no_grad()
    def sample(self, count: int, *, generator: torch.Generator | None = None) -> Float[Tensor, "n d"]:
        """Draws from p(x): a component by its weight, then a draw from it."""
        return self.draw(self.choose(count, generator=generator), generator)

    @torch.no_grad()
    def conditional_sample(
        self, count: int, component: int, *, generator: torch.Generator | None = None
    ) -> Float[Tensor, "n d"]:
        """Draws from p(x | k) of one component."""
        if not 0 <= component < self.components:
            raise RegardError(
                "no component of that number",
                f"component={component}, of {self.components}",
                f"pass a number from 0 to {self.components - 1}",
            )
        return self.draw(torch.full((count,), component, device=self.logits.device), generator)


def unlikelihood(model: nn.Module, x: Float[Tensor, "n d"]) -> Float[Tensor, ""]:
    """The loss of a mixture on a batch, as a training asks for it."""
    assert isinstance(model, Mixture)
    return model.loss(x)


class GaussianMixtureModel(Mixture):
    """p(x | k) = N(x; mean_k, Σ_k), its covariance diagonal, spherical, full, or tied: one full Σ for all k.

    A full one is Σ = L Lᵀ with e^(log_variance / 2) on the diagonal of L and `lower` below it.

    >>> mixture = GaussianMixtureModel(components=1, width=2)
    >>> _ = nn.init.zeros_(mixture.means)
    >>> mixture(torch.zeros(1, 2)).exp() * 2 * torch.pi
    tensor([1.0000], grad_fn=<MulBackward0>)
    """

    @kinds
    def __init__(self, components: int, width: int = 2, *, covariance: str = "diagonal") -> None:
        if covariance not in COVARIANCES:
            fix = nearest(covariance, COVARIANCES, f"one of {', '.join(COVARIANCES)}")
            raise RegardError("no covariance of that kind", repr(covariance), fix)
        super().__init__(components, width)
        self.covariance = covariance
        self.means = nn.Parameter(torch.randn(components, width))
        rows, whole = 1 if covariance == "tied" else components, covariance in ("full", "tied")
        self.log_variances = nn.Parameter(torch.zeros(rows, 1 if covariance == "spherical" else width))
        self.lower = nn.Parameter(torch.zeros(rows, width * (width - 1) // 2)) if whole else None

    def conditional(self, x: Float[Tensor, "n d"]) -> Float[Tensor, "n k"]:
        if self.lower is None:
            similarity = Gaussian(log_variance=self.log_variances)
            return similarity.dense(x[None, None], self.means[None, None])[0, 0]
        gap = (x - self.means[:, None]).mT
        factors = self.factors()
        parts = [torch.linalg.solve_triangular(factors, one, upper=False) for one in gap.split(COLUMNS, 2)]
        square = torch.cat(parts, 2).square().sum(1).T
        return -(square + self.log_variances.sum(1) + self.width * log(2 * torch.pi)) / 2

    def draw(
        self, component: Int[Tensor, " n"], generator: torch.Generator | None = None
    ) -> Float[Tensor, "n d"]:
        z = torch.randn(
            len(component), self.width, generator=generator, dtype=self.means.dtype, device=self.means.device
        )
        if self.lower is None:
            return self.means[component] + z * (self.log_variances / 2).exp()[component]
        return self.means[component] + torch.einsum("nij,nj->ni", self.factors()[component], z)

    def factors(self) -> Float[Tensor, "k d d"]:
        """L of each Σ = L Lᵀ."""
        diagonal = torch.diag_embed((self.log_variances / 2).exp().expand(-1, self.width))
        if self.lower is None:
            return diagonal
        rows, columns = torch.tril_indices(self.width, self.width, -1)
        below = torch.zeros_like(diagonal)
        below[:, rows, columns] = self.lower
        return (diagonal + below).expand(self.components, -1, -1)

    def covariances(self) -> Float[Tensor, "k d d"]:
        """Σ of each component, as a whole matrix."""
        return torch.einsum("kij,klj->kil", self.factors(), self.factors())
