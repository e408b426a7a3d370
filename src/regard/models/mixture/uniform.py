"""Uniform mixture model (boxes), which gradient descent cannot fit, and the softness that lets it."""

from math import inf

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from regard.arguments import kinds
from regard.errors import RegardError
from regard.models.mixture.gaussian import Mixture
from regard.shapes import Bool, Float, Int

OUTSIDE = -1e6
"The logarithm of the density outside a hard box; minus infinity would make the loss useless."


class UniformMixtureModel(Mixture):
    """p(x | k) = 1 / Π_i s_ki inside the box |x_i − c_ki| ≤ s_ki / 2, and none outside.

    With softness τ > 0 the box is smeared: x is a point of the box plus τ times logistic noise, so that
    p(x | k) = Π_i [ σ((x_i − c_i + s_i/2) / τ) − σ((x_i − c_i − s_i/2) / τ) ] / s_i has slopes everywhere.

    >>> box = UniformMixtureModel(components=1, width=1)
    >>> box.set_boxes(torch.zeros(1, 1), torch.full((1, 1), 4.0))
    >>> box(torch.tensor([[1.9], [2.1]])).tolist() == [-torch.tensor(4.0).log().item(), OUTSIDE]
    True
    """

    @kinds
    def __init__(self, components: int, width: int = 2, *, softness: float = 0.0) -> None:
        if not 0 <= softness < inf:
            raise RegardError(
                "softness is 0 (hard boxes) or more", f"softness={softness}", "0.1 of a deviation is soft"
            )
        super().__init__(components, width)
        self.centres = nn.Parameter(torch.randn(components, width))
        self.log_sizes = nn.Parameter((3 + 0.2 * torch.rand(components, width)).log())
        self.softness = softness

    @torch.no_grad()
    def set_boxes(self, centres: Float[Tensor, "k d"], sizes: Float[Tensor, "k d"]) -> None:
        """Put the boxes there."""
        self.centres.copy_(centres)
        self.log_sizes.copy_(sizes.log())

    def conditional(self, x: Float[Tensor, "n d"]) -> Float[Tensor, "n k"]:
        if self.softness == 0:
            return torch.where(self.inside(x), -self.log_sizes.sum(1), OUTSIDE)
        half, gap = self.log_sizes.exp() / 2, x[:, None] - self.centres
        left, right = (half + gap) / self.softness, (half - gap) / self.softness
        # σ(a) − σ(−b) = σ(a) σ(b) (1 − e^−(a+b)): no difference of numbers that are nearly equal.
        edge = F.logsigmoid(left) + F.logsigmoid(right)
        whole = (-torch.expm1(-2 * half / self.softness)).log() - self.log_sizes
        return (edge + whole).sum(2)

    def inside(self, x: Float[Tensor, "n d"]) -> Bool[Tensor, "n k"]:
        """Which hard boxes hold each sample."""
        return ((x[:, None] - self.centres).abs() <= self.log_sizes.exp() / 2).all(2)

    @torch.no_grad()
    def uncovered(self, x: Float[Tensor, "n d"]) -> float:
        """The share of the samples that no hard box holds."""
        return 1 - self.inside(x).any(1).double().mean().item()

    def draw(
        self, component: Int[Tensor, " n"], generator: torch.Generator | None = None
    ) -> Float[Tensor, "n d"]:
        options = {"generator": generator, "dtype": self.centres.dtype, "device": self.centres.device}
        shape = (len(component), self.width)
        x = self.centres[component] + (torch.rand(shape, **options) - 0.5) * self.log_sizes.exp()[component]
        noise = torch.rand(shape, **options) if self.softness else None
        return x if noise is None else x + self.softness * torch.logit(noise, eps=1e-7)


def annealed(progress: float, *, first: float, last: float) -> float:
    """The softness at a share of the training: it falls by the same factor in every step.

    >>> annealed(0.0, first=1.0, last=0.01), round(annealed(0.5, first=1.0, last=0.01), 3)
    (1.0, 0.1)
    """
    return first * (last / first) ** min(1.0, max(0.0, progress))
