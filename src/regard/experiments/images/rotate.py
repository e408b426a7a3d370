"""Rotation of pictures by any angle, nearest or bilinear; what comes from outside is black."""

import torch
import torch.nn.functional as F
from torch import Tensor

from regard.errors import RegardError, nearest
from regard.shapes import Float

SAMPLINGS = ("nearest", "bilinear")
"The nearest pixel, or the four around a point, weighed."


def rotate(
    pictures: Float[Tensor, "b c y x"], degrees: float | Tensor, *, sampling: str = "nearest"
) -> Float[Tensor, "b c y x"]:
    """The pictures turned about their middle, counter-clockwise, by one angle or by one for each.

    The pixel at (x, y) from the middle, y downwards, comes from (x cos a − y sin a, x sin a + y cos a).

    >>> picture = torch.arange(6.0).view(1, 1, 2, 3)
    >>> rotate(picture, 180)
    tensor([[[[5., 4., 3.],
              [2., 1., 0.]]]])
    """
    if sampling not in SAMPLINGS:
        fix = nearest(sampling, SAMPLINGS, f"one of {', '.join(SAMPLINGS)}")
        raise RegardError("no sampling of that name", repr(sampling), fix)
    # In float64, a quarter turn stays within a hair of the pixels' middles, and `nearest` is a permutation.
    angles = torch.as_tensor(degrees, dtype=torch.float64, device=pictures.device)
    angle = angles.deg2rad().expand(len(pictures))
    cos, sin, none = angle.cos(), angle.sin(), torch.zeros_like(angle)
    height, width = pictures.shape[2:]
    # affine_grid measures each axis in half lengths of its own.
    rows = (cos, -sin * height / width, none), (sin * width / height, cos, none)
    theta = torch.stack([torch.stack(row, 1) for row in rows], 1)
    grid = F.affine_grid(theta, list(pictures.shape), align_corners=False)
    return F.grid_sample(pictures, grid.to(pictures.dtype), sampling, align_corners=False)
