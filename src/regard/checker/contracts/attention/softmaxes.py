"""What people compute in place of the softmax of attention: another sum below, or blocks whose sums are not rescaled."""

from typing import Any

import numpy as np

from regard.checker.grammar.program import Rewired

Array = np.ndarray


def _one_more(scores: Array) -> Array:
    largest = np.maximum(scores.max(-1, keepdims=True), 0.0)
    raised = np.exp(scores - largest)
    return raised / (raised.sum(-1, keepdims=True) + np.exp(-largest))


SOFTMAXES = (
    ("a one is added to the sum of the exponentials, as a key of zeros does (add_zero_attn): the weights sum to less than one", _one_more),
)  # fmt: skip


def _blockwise(hidden: Array, v: Array, size: int, *, values: bool, sums: bool) -> Array:
    """A softmax block by block over the keys; what was added up is rescaled or not when a larger score comes."""
    peak = np.full((*hidden.shape[:-1], 1), -np.inf)
    held, total = np.zeros((*hidden.shape[:-1], v.shape[-1])), np.zeros_like(peak)
    for start in range(0, hidden.shape[-1], size):
        part = hidden[..., start : start + size]
        higher = np.maximum(peak, part.max(-1, keepdims=True))
        fade = np.where(np.isfinite(peak), np.exp(peak - higher), 0.0)
        # Before the first score there is nothing to rescale.
        weights = np.where(np.isfinite(higher), np.exp(part - higher), 0.0)
        held = held * (fade if values else 1.0) + weights @ v[..., start : start + size, :]
        total = total * (fade if sums else 1.0) + weights.sum(-1, keepdims=True)
        peak = higher
    return held / total


def _streamed(size: int, *, values: bool) -> tuple[str, str, dict[str, Any]]:
    """One of the two sums is not rescaled: that of the values, or that of the weights."""
    what, slug = ("weighted values", "values") if values else ("weights", "weights")
    pace = "key by key" if size == 1 else f"by blocks of {size} keys"
    words = f"in a softmax that goes {pace}, the sum of the {what} is not rescaled when a larger score comes"

    def mix(hidden: Array, v: Array) -> Array:
        return _blockwise(hidden, v, size, values=not values, sums=values)

    return f"{slug}-not-rescaled-{size}", words, {"mix": Rewired(("hidden", "v"), mix)}


BLOCKWISE = tuple(_streamed(size, values=values) for size in (1, 2, 3, 4) for values in (True, False))
