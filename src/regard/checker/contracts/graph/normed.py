"""A layer norm behind a graph layer, with a gain and a bias of its own."""

from collections.abc import Callable

import numpy as np

from regard.checker.contract import Convention, Forms
from regard.checker.contracts.attention.conventions import normed
from regard.checker.contracts.graph.reference import elu

Weights = dict[str, np.ndarray]
EPS = 1e-5
"What a layer norm adds to the variance, unless it is told another number."
BEFORE: tuple[Callable[[np.ndarray], np.ndarray], ...] = (
    lambda y: y,
    lambda y: np.maximum(y, 0),
    elu,
)
"What may be done to the output before it is normed: nothing, or an activation."


def parted(drawn: Weights, owners: dict[str, str]) -> tuple[Weights, Weights]:
    """The weights of the layer, and gain and bias of the one layer norm inside it, if there is one.

    >>> own = {"w": np.eye(2), "norm.weight": np.ones(2), "norm.bias": np.zeros(2)}
    >>> rest, norm = parted(own, {"w": "Layer", "norm.weight": "LayerNorm", "norm.bias": "LayerNorm"})
    >>> list(rest), sorted(norm)
    (['w'], ['gain', 'shift'])
    """
    inside = [name for name in drawn if owners[name] == "LayerNorm"]
    gains = [name for name in inside if not name.endswith("bias")]
    if len(gains) != 1:
        return drawn, {}
    gain = drawn[gains[0]]
    shift = next((drawn[name] for name in inside if name not in gains), np.zeros_like(gain))
    return {n: v for n, v in drawn.items() if n not in inside}, {"gain": gain, "shift": shift}


def norm_behind(forms: Forms) -> Convention:
    """The choice, in the steps of one contract."""
    return Convention(
        slug="norm-inside",
        says="a layer norm is applied to the output inside the layer",
        choice="norm=inside",
        words=r"layer[\s_-]?norm",
        needs=("gain", "shift"),
        forms=forms,
    )


ATTENTION = norm_behind(
    tuple({"finish": lambda y, w, first=first: normed(first(y + w["bias"]), w, EPS)} for first in BEFORE)
)
CONVOLUTION = norm_behind(
    tuple({"finish": lambda y, a, w, first=first: normed(first(y + w["bias"]), w, EPS)} for first in BEFORE)
)
