"""Linear autoencoder theory: its optimum (PCA), gradients and critical points, and what its code tells.

L(W₁, W₂) = E|x − W₂ W₁ x|² = tr (I − W₂W₁) Σ (I − W₂W₁)ᵀ for points of mean zero and covariance Σ (Baldi and
Hornik, 1989).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from math import acos, pi, sqrt

import torch
from torch import Tensor

from regard.models.autoencoder import Clean, Corruption
from regard.shapes import Float


def loss(
    encoder: Float[Tensor, "*r k c"], decoder: Float[Tensor, "*r c k"], covariance: Float[Tensor, "c c"]
) -> Float[Tensor, "*r"]:
    """tr (I − W₂W₁) Σ (I − W₂W₁)ᵀ: the squared error of a point, summed over its entries."""
    rest = torch.eye(len(covariance), dtype=covariance.dtype) - decoder @ encoder
    return ((rest @ covariance) * rest).sum((-2, -1))


def gradients(
    encoder: Float[Tensor, "*r k c"], decoder: Float[Tensor, "*r c k"], covariance: Float[Tensor, "c c"]
) -> tuple[Float[Tensor, "*r k c"], Float[Tensor, "*r c k"]]:
    """∂L/∂W₁ = −2 W₂ᵀ (I − W₂W₁) Σ and ∂L/∂W₂ = −2 (I − W₂W₁) Σ W₁ᵀ, each of its weight's own shape."""
    rest = (torch.eye(len(covariance), dtype=covariance.dtype) - decoder @ encoder) @ covariance
    return -2 * decoder.mT @ rest, -2 * rest @ encoder.mT


def principal(covariance: Float[Tensor, "c c"]) -> tuple[Float[Tensor, " c"], Float[Tensor, "c c"]]:
    """The eigenvalues, largest first, and the eigenvectors as columns."""
    values, vectors = torch.linalg.eigh(covariance)
    return values.flip(0), vectors.flip(1)


@dataclass(frozen=True)
class Optimum:
    """The best a linear autoencoder can do with so wide a bottleneck."""

    map: Float[Tensor, "c c"]
    "W₂W₁: the one thing about the weights that is determined."
    trained: float
    "E|x − W x̃|² with corrupted input: what training makes small."
    clean: float
    "E|x − W x|² with the input as it is: what is reported."


def optimum(covariance: Float[Tensor, "c c"], bottleneck: int, corruption: Corruption = Clean()) -> Optimum:
    """The best map of rank `bottleneck` from corrupted points to the points themselves (reduced-rank regression).

    With S = E[x̃x̃ᵀ], C = E[xx̃ᵀ] and V the largest eigenvectors of C S⁻¹ Cᵀ it is V Vᵀ C S⁻¹. With nothing
    corrupted that is V Vᵀ, the projector on the principal directions, and the error is the sum of the
    eigenvalues that are left out.

    >>> optimum(torch.diag(torch.tensor([5.0, 3.0, 2.0, 1.0])), 2).clean
    3.0
    """
    inputs, cross = corruption.moments(covariance)
    best = torch.linalg.solve(inputs, cross.mT).mT
    values, vectors = principal(best @ cross.mT)
    kept = vectors[:, :bottleneck]
    chosen = kept @ kept.mT @ best
    rest = torch.eye(len(covariance), dtype=covariance.dtype) - chosen
    trained = covariance.trace() - values[:bottleneck].sum()
    return Optimum(chosen, float(trained), float(((rest @ covariance) * rest).sum()))


def readable(
    encoder: Float[Tensor, "*r k c"], covariance: Float[Tensor, "c c"], direction: Float[Tensor, " c"]
) -> Float[Tensor, "*r"]:
    """The correlation of direction·x with the best linear function of the code W₁x."""
    about = encoder @ (covariance @ direction)
    spread = torch.linalg.pinv(encoder @ covariance @ encoder.mT, hermitian=True)
    explained = (about[..., None, :] @ spread @ about[..., None])[..., 0, 0]
    return (explained / (direction @ covariance @ direction)).clamp(0, 1).sqrt()


def accuracy(correlation: float) -> float:
    """How often two normal numbers of this correlation have the same sign: 1 − arccos(ρ)/π.

    >>> accuracy(0.5), accuracy(0.0), accuracy(1.0)
    (0.6666666666666666, 0.5, 1.0)
    """
    return 1 - acos(correlation) / pi


def expected_accuracy(bottleneck: float, strong: int) -> float:
    """About how often a probe is right whose code is `bottleneck` of `strong` equally large directions, at random.

    The label's direction has then k/strong of its squared length in the code, on average.
    """
    return accuracy(sqrt(min(1.0, bottleneck / strong)))


def critical(values: Float[Tensor, " c"], bottleneck: int) -> Iterator[tuple[tuple[int, ...], float, int]]:
    """Every critical point: its set of at most k eigenvectors, its loss, and its directions of descent.

    With all k in use it is a minimum along every direction but those that turn a chosen eigenvector towards a
    larger one left out. With fewer, each eigenvector left out can be taken in through each unused unit.
    """
    numbers = range(len(values))
    for size in range(bottleneck + 1):
        for chosen in combinations(numbers, size):
            others = [one for one in numbers if one not in chosen]
            turns = sum(bool(values[j] > values[i]) for i in chosen for j in others)
            taken_in = (bottleneck - size) * sum(bool(values[j] > 0) for j in others)
            yield chosen, float(values[others].sum()), turns + taken_in
