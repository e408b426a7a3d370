"""Muon's Newton-Schulz iteration: the orthogonal factor of a matrix, by matrix products alone.

Every singular value goes through odd polynomials p(x) = a x + b x³ + c x⁵, one after the other, until it is
near 1. Each is the best there is: it leaves the smallest max |1 − p(x)| on the interval that those before it
leave (Amsel, Persson, Musco, Gower 2025, The Polar Express).
"""

from functools import cache

import numpy
import torch
from torch import Tensor

from regard.shapes import Float

SMALLEST = 1e-3
"Singular values from here up to the largest are brought to 1; smaller ones grow, yet not so far."
ROUNDS = 5
"How often they go through a polynomial."
CUSHION = 0.02
"In half precision, by how much rounding may push a value beyond its interval, where polynomials run away."


def best(low: float, high: float) -> tuple[float, float, float]:
    """The a, b, c with the smallest largest |1 − (a x + b x³ + c x⁵)| for x in [low, high].

    Remez: the error takes its extreme value at four points, with alternating sign. Two of them are the ends;
    the others are where the derivative is zero.
    """
    if high - low < 1e-6:  # the interval is a point: the limit of the above
        middle = (low + high) / 2
        return 15 / 8 / middle, -10 / 8 / middle**3, 3 / 8 / middle**5
    points = numpy.array([low, (3 * low + high) / 4, (low + 3 * high) / 4, high])
    for _ in range(100):
        a, b, c = _alternating(points)
        root = numpy.sqrt(9 * b**2 - 20 * a * c)
        inner = numpy.sqrt(numpy.sort([(-3 * b - root) / (10 * c), (-3 * b + root) / (10 * c)]))
        moved = float(numpy.abs(points[1:3] - inner).max())
        points[1:3] = inner
        if moved < 1e-12 * high:
            break
    return _alternating(points)


def _alternating(points: numpy.ndarray) -> tuple[float, float, float]:
    """The a, b, c whose error has one size at all four points, and signs that alternate."""
    signs = numpy.array([1.0, -1.0, 1.0, -1.0])
    system = numpy.stack([points, points**3, points**5, signs], axis=1)
    a, b, c, _ = numpy.linalg.solve(system, numpy.ones(4)).tolist()
    return a, b, c


@cache
def polynomials(rounds: int = ROUNDS, cushion: float = 0.0) -> tuple[tuple[float, float, float], ...]:
    """The polynomials by which `rounds` rounds bring singular values in [SMALLEST, 1] nearest to 1."""
    found, low, high = [], SMALLEST, 1.0
    for _ in range(rounds):
        a, b, c = best(low, high * (1 + cushion))
        found.append((a, b, c))
        low = a * low + b * low**3 + c * low**5
        high = 2 - low
    return tuple(found)


def orthogonal(matrices: Float[Tensor, "b n m"]) -> Float[Tensor, "b n m"]:
    """U Vᵀ of each matrix U S Vᵀ, nearly: singular values near 1.

    >>> x = orthogonal(torch.tensor([[[3.0, 0.0, 0.0], [0.0, 0.1, 0.0]]]))
    >>> bool((torch.linalg.svdvals(x) - 1).abs().max() < 0.12)
    True
    """
    if matrices.shape[-2] > matrices.shape[-1]:
        return orthogonal(matrices.mT).mT
    x = matrices / matrices.norm(dim=(-2, -1), keepdim=True).clamp(min=torch.finfo(matrices.dtype).tiny)
    # In half precision the Gram matrix loses the small singular values; of a square one it saves nothing.
    half = matrices.dtype in (torch.bfloat16, torch.float16)
    return _plain(x, CUSHION if half else 0.0) if half or 2 * x.shape[-2] > x.shape[-1] else _gram(x)


def _plain(x: Tensor, cushion: float = 0.0) -> Tensor:
    for polynomial in polynomials(ROUNDS, cushion):
        x = _multiplier(x @ x.mT, polynomial) @ x
    return x


def _gram(x: Tensor) -> Tensor:
    """The same polynomials, on the small square matrix x xᵀ; the wide one is multiplied at the end, once."""
    first, *others = polynomials()
    gram = x @ x.mT
    multiplier = whole = _multiplier(gram, first)
    for polynomial in others:
        gram = multiplier @ gram @ multiplier
        multiplier = _multiplier(gram, polynomial)
        whole = multiplier @ whole
    return whole @ x


def _multiplier(gram: Tensor, polynomial: tuple[float, float, float]) -> Tensor:
    """a + b G + c G²: with G = x xᵀ, what x is multiplied by."""
    a, b, c = polynomial
    result = torch.baddbmm(gram, gram, gram, beta=b, alpha=c)
    result.diagonal(dim1=-2, dim2=-1).add_(a)
    return result
