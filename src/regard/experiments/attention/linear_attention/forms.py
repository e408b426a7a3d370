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


def crossing(lengths: Sequence[int], first: Sequence[float], second: Sequence[float]) -> float:
    """The length from which `first` exceeds `second`, on straight lines between points in logarithms."""
    for place in range(len(lengths)):
        if first[place] > second[place]:
            if place == 0:
                return float(lengths[0])
            before, after = log(second[place - 1] / first[place - 1]), log(first[place] / second[place])
            return lengths[place - 1] * (lengths[place] / lengths[place - 1]) ** (before / (before + after))
    return float("inf")
