# contract: multi-head-attention
import numpy as np


class MultiHeadAttention:
    """Matrices in one dictionary, what is added in another; mask (b, m), True where a key is seen."""

    def __init__(self, width, heads, seed=5):
        draw = np.random.default_rng(seed).standard_normal
        self.heads = heads
        self.matrices = {word: draw((width, width)) / np.sqrt(width) for word in ("q", "k", "v", "o")}
        self.shifts = {word: np.zeros(width) for word in ("q", "k", "v", "o")}

    def _of(self, word, x):
        return x @ self.matrices[word] + self.shifts[word]

    def __call__(self, query, key, value, mask=None):
        parts = (self._of("q", query), self._of("k", key), self._of("v", value))
        q, k, v = (x.reshape(*x.shape[:2], self.heads, -1).swapaxes(1, 2) for x in parts)
        scores = q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1])
        if mask is not None:
            scores = np.where(mask[:, None, None], scores, -np.inf)
        weights = np.exp(scores - scores.max(-1, keepdims=True))
        weights = weights / weights.sum(-1, keepdims=True)
        return self._of("o", (weights @ v).swapaxes(1, 2).reshape(query.shape))
