"""The landscape of a linear autoencoder's loss: its critical points by search, and the ground around its minimum."""

from itertools import permutations
from math import degrees

import torch
from torch import Tensor
from torch.func import grad, jacrev, vmap

from regard.experiments.unsupervised.linear_autoencoder import loss


def angle(decoder: Tensor, kept: Tensor) -> Tensor:
    """The largest angle between the span of a decoder's columns and that of the kept eigenvectors, in degrees."""
    basis = torch.linalg.qr(decoder).Q
    outside = basis - kept @ (kept.mT @ basis)
    return torch.linalg.matrix_norm(outside, 2).clamp(max=1).asin() * degrees(1)


def decay(values: Tensor, bottleneck: int) -> float:
    """The smallest curvature at the optimum, over all turns of an eigenvector kept (λ) towards one left out (μ).

    Along such a turn the loss grows by λ b² + μ a² − 2 μ a b, with a in the encoder and b in the decoder. Gradient
    descent shrinks the slowest mix of a and b by the factor 1 − 2·rate·(this number) a step.
    """
    kept, left = values[:bottleneck, None], values[None, bottleneck:]
    return float(((kept + left) / 2 - (((kept - left) / 2) ** 2 + left**2).sqrt()).min())


def nearest_signed(decoder: Tensor, kept: Tensor) -> float:
    """The distance of a decoder to the eigenvectors in the order and with the signs that suit it best."""
    code = kept.shape[1]
    distances = []
    for order in permutations(range(code)):
        chosen = kept[:, list(order)]
        signs = (decoder * chosen).sum(0).sign()
        distances.append(torch.linalg.matrix_norm(decoder - signs * chosen).item())
    return min(distances)


def search(
    covariance: Tensor, bottleneck: int, starts: int, generator: torch.Generator, steps: int = 120
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Where the gradient vanishes: damped Newton steps on |gradient|², which stop at saddles as at minima.

    Gives the weights, the size of their gradient and the number of directions of descent, start by start.
    """
    width = len(covariance)
    half = bottleneck * width

    def value(flat: Tensor) -> Tensor:
        return loss(flat[:half].view(bottleneck, width), flat[half:].view(width, bottleneck), covariance)

    slope, curve = vmap(grad(value)), vmap(jacrev(grad(value)))
    # Half of the starts are weights of any size, half are projectors on random planes: nearer to the high saddles.
    flat = torch.randn(starts, 2 * half, generator=generator, dtype=torch.float64)
    flat *= torch.linspace(0.1, 1.5, starts, dtype=torch.float64)[:, None]
    planes = torch.linalg.qr(flat[::2, half:].view(-1, width, bottleneck)).Q
    flat[::2] = torch.cat([planes.mT.flatten(1), planes.flatten(1)], 1)
    damping = torch.ones(starts, dtype=torch.float64)
    for _ in range(steps):
        moving = (slope(flat).norm(dim=1) > 1e-11 * covariance.trace()).nonzero()[:, 0]
        if not len(moving):
            break
        here, firm = flat[moving], damping[moving]
        found, bent = slope(here), curve(here)
        system = bent @ bent + firm[:, None, None] * torch.eye(2 * half, dtype=torch.float64)
        there = here - torch.linalg.solve(system, (bent @ found[..., None]))[..., 0]
        better = slope(there).norm(dim=1) < found.norm(dim=1)
        flat[moving] = torch.where(better[:, None], there, here)
        damping[moving] = torch.where(better, firm / 5, firm * 4).clamp(1e-12, 1e12)
    sizes = slope(flat).norm(dim=1)
    downward = (torch.linalg.eigvalsh(curve(flat)) < -1e-5 * covariance.trace()).sum(1)
    return (
        flat[:, :half].view(-1, bottleneck, width),
        flat[:, half:].view(-1, width, bottleneck),
        sizes,
        downward,
    )
