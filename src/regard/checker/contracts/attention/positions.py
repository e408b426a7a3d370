"""Rotary positions inside an attention layer, and what goes wrong with them there."""

from typing import Any

import numpy as np

Array = np.ndarray


def turned(x: Array, *, half: bool) -> Array:
    """Every position turned as rotary positions are, (b, h, n, d)."""
    n, d = x.shape[-2:]
    angles = np.outer(np.arange(n), 10000.0 ** (-2.0 * np.arange(d // 2) / d))
    one, two = (x[..., : d // 2], x[..., d // 2 :]) if half else (x[..., 0::2], x[..., 1::2])
    pair = one * np.cos(angles) - two * np.sin(angles), one * np.sin(angles) + two * np.cos(angles)
    return np.concatenate(pair, -1) if half else np.stack(pair, -1).reshape(x.shape)


def _along_heads(x: Array, *, half: bool) -> Array:
    return turned(x.swapaxes(1, 2), half=half).swapaxes(1, 2)


def _wide(x: Array, *, half: bool) -> Array:
    """All heads of a token turned as if they were one."""
    b, h, n, d = x.shape
    return turned(x.transpose(0, 2, 1, 3).reshape(b, n, h * d), half=half).reshape(b, n, h, d).swapaxes(1, 2)


def _wrong(half: bool) -> tuple[tuple[str, str, dict[str, Any]], ...]:
    """Mistakes with one way to pair the channels."""

    def turn(x: Array) -> Array:
        return turned(x, half=half)

    way = "halves" if half else "pairs"
    return (
        (f"values-turned-{way}", "the values are turned by rotary positions, as queries and keys are: they should stay as they are", {"place": lambda q, k: (turn(q), turn(k)), "mix": lambda a, v: a @ turn(v)}),
        (f"queries-alone-turned-{way}", "only the queries are turned by rotary positions, and not the keys", {"place": lambda q, k: (turn(q), k)}),
        (f"keys-alone-turned-{way}", "only the keys are turned by rotary positions, and not the queries", {"place": lambda q, k: (q, turn(k))}),
        (f"turned-along-heads-{way}", "rotary positions run along the heads, not along the tokens", {"place": lambda q, k: (_along_heads(q, half=half), _along_heads(k, half=half))}),
        (f"turned-before-split-{way}", "rotary positions turn the whole width, before it is split into heads: each head gets other frequencies", {"place": lambda q, k: (_wide(q, half=half), _wide(k, half=half))}),
    )  # fmt: skip


TURNS = (*_wrong(half=True), *_wrong(half=False))
