"""Attention in quadratic and in linear time: its forms, their costs by the formulas, where two costs meet."""

from collections.abc import Callable, Sequence
from math import comb, log, sqrt

import torch
from torch import Tensor

from regard.core.attend import attend
from regard.core.normalise import Divide
from regard.core.similarity import Kernel, elu_plus_one, polynomial

FORMS: dict[str, Callable[[Tensor], Tensor]] = {
    "softmax": lambda x: attend(x, x, x, backend="reference").output,
    "linear, elu + 1": lambda x: attend(x, x, x, similarity=Kernel(elu_plus_one), normalise=Divide()).output,
    "linear, (q·k + 1)²": lambda x: attend(x, x, x, similarity=Kernel(polynomial), normalise=Divide()).output,
}


def prepared(form: str, length: float, width: float) -> Callable[[], Tensor]:
    """One form of attention over random input, ready to call; a fresh process measures its memory."""
    x = torch.randn(1, 1, int(length), int(width))
    return lambda: FORMS[form](x)


def rootless(x: Tensor) -> Tensor:
    """The feature map as Berkeley HW6 prints it: √2 missing on the linear terms."""
    width = x.shape[-1]
    scale = torch.ones(comb(width + 2, 2), dtype=x.dtype)
    scale[1 : width + 1] = 1 / sqrt(2)
    return polynomial(x) * scale


def formula(length: int, width: int) -> dict[str, int]:
    """Multiplications and additions by the formulas, M = D: 2N²(D + M), and 4NC(M + 1) with C features."""
    features = {"linear, elu + 1": width, "linear, (q·k + 1)²": comb(width + 2, 2)}
    return {"softmax": 4 * length**2 * width} | {
        name: 4 * length * size * width + 4 * length * size for name, size in features.items()
    }


def softmax_attention(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """softmax(QKᵀ/√D)V in matrices."""
    return (q @ k.T / sqrt(q.shape[1])).softmax(-1) @ v


def linear_attention(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """φ(Q)(φ(K)ᵀV) over φ(Q)(φ(K)ᵀ1) in matrices, with φ = elu + 1."""
    q, k = elu_plus_one(q), elu_plus_one(k)
    return q @ (k.T @ v) / (q @ k.sum(0)[:, None])


MATRICES = {"softmax": softmax_attention, "linear, elu + 1": linear_attention}
"The forms as matrices, for what they keep."


def kept(form: Callable[[Tensor, Tensor, Tensor], Tensor], length: int, width: int) -> int:
    """The numbers that a form keeps for backpropagation, inputs included, counted while it runs."""
    q, k, v = (torch.randn(length, width, requires_grad=True) for _ in range(3))
    parts: dict[int, tuple[int, Tensor]] = {}

    def keep(part: Tensor) -> Tensor:
        whole = part.untyped_storage()
        parts[whole.data_ptr()] = whole.nbytes() // part.element_size(), part
        return part

    with torch.autograd.graph.saved_tensors_hooks(keep, lambda part: part):
        form(q, k, v)
    return sum(size for size, _ in parts.values())


def kept_formula(length: int, width: int) -> dict[str, int]:
    """The same by derivation, M = D and C = D: N² + N(2D + M), and N(2D + 2C + 2M + 1) + C(M + 1)."""
    n, d = length, width
    return {"softmax": n**2 + 3 * n * d, "linear, elu + 1": n * (6 * d + 1) + d * (d + 1)}


def short_forms(length: int, rank: int, width: int) -> dict[str, Callable[[], Tensor]]:
    """PV, its low-rank form with the factors at hand, and the projected form with rank rows of keys and values."""
    p, v = torch.zeros(length, length), torch.zeros(length, width)
    left, right = torch.zeros(length, rank), torch.zeros(rank, length)
    return {
        "PV": lambda: p @ v,
        "low rank": lambda: left @ (right @ v),
        "projected": lambda: v @ (right @ v).T @ (right @ v),
    }


def crossing(lengths: Sequence[int], first: Sequence[float], second: Sequence[float]) -> float:
    """The length from which `first` exceeds `second`, on straight lines between points in logarithms."""
    for place in range(len(lengths)):
        if first[place] > second[place]:
            if place == 0:
                return float(lengths[0])
            before, after = log(second[place - 1] / first[place - 1]), log(first[place] / second[place])
            return lengths[place - 1] * (lengths[place] / lengths[place - 1]) ** (before / (before + after))
    return float("inf")
