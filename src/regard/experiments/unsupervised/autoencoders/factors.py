"""Factor model: points that vary in a few hidden directions, which decide their label."""

from dataclasses import dataclass

import torch
from torch import Tensor

from regard.errors import RegardError
from regard.shapes import Float, Int

SPLITS = {"train": 0.7, "valid": 0.2, "test": 0.1}


@dataclass(frozen=True)
class Factors:
    """Such points, split, and what they were drawn from: theory needs the true covariance, not a sample's."""

    points: dict[str, Float[Tensor, "b c"]]
    "The points of each split: train, valid, test."
    labels: dict[str, Int[Tensor, " b"]]
    "Their labels: 1 where the hidden strong coordinates have a positive sum, else 0."
    covariance: Float[Tensor, "c c"]
    "The covariance the points were drawn from, in float64."
    direction: Float[Tensor, " c"]
    "The direction whose sign is the label, in float64."


def draw_factors(
    *, seed: int = 0, samples: int = 20_000, width: int = 100, strong: int = 20, scale: float = 100.0
) -> Factors:
    """Normal points of variance `scale` along `strong` hidden directions, 1 along others, in three splits.

    x = h U with U orthogonal and h ~ N(0, diag(scale, ..., scale, 1, ..., 1)); the label is 1 where
    h_1 + ... + h_strong > 0.

    >>> factors = draw_factors(samples=1000)
    >>> [len(points) for points in factors.points.values()], round(factors.covariance.trace().item())
    ([700, 200, 100], 2080)
    """
    if not (0 < strong <= width and scale > 0 and samples >= 10):
        raise RegardError(
            "no such points can be drawn",
            f"samples={samples}, width={width}, strong={strong}, scale={scale}",
            "samples of 10 or more, 1 to width strong directions, a scale above 0",
        )
    generator = torch.Generator().manual_seed(seed)
    deviations = torch.ones(width, dtype=torch.float64)
    deviations[:strong] = scale**0.5
    hidden = deviations * torch.randn(samples, width, generator=generator, dtype=torch.float64)
    turn = torch.linalg.svd(torch.randn(width, width, generator=generator, dtype=torch.float64)).U
    sizes = [round(share * samples) for share in SPLITS.values()]
    points = dict(zip(SPLITS, (hidden @ turn).float().split(sizes), strict=True))
    labels = dict(zip(SPLITS, (hidden[:, :strong].sum(1) > 0).long().split(sizes), strict=True))
    direction = turn[:strong].sum(0) / strong**0.5
    return Factors(points, labels, turn.T @ torch.diag(deviations**2) @ turn, direction)
