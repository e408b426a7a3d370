"""Rotary positions in steps: every pair of channels turns by an angle that grows with the position."""

import numpy as np

from regard.checker.contract import Case, Steps, WeightMap

Array = np.ndarray


def interleaved(x: Array) -> Array:
    """The partner of each channel, signed: channels 2i and 2i + 1 are a pair."""
    pairs = x.reshape(*x.shape[:-1], -1, 2)
    return np.stack([-pairs[..., 1], pairs[..., 0]], axis=-1).reshape(x.shape)


def halves(x: Array) -> Array:
    """The partner of each channel, signed: channels i and i + d/2 are a pair."""
    half = x.shape[-1] // 2
    return np.concatenate([-x[..., half:], x[..., :half]], axis=-1)


def doubled(f: Array) -> Array:
    """One frequency for each channel of a half-split pair."""
    return np.concatenate([f, f], axis=-1)


def repeated(f: Array) -> Array:
    """One frequency for each channel of an interleaved pair."""
    return np.repeat(f, 2, axis=-1)


PLAIN: Steps = {
    "axis": lambda axis: axis,
    "positions": lambda n, offset: offset + np.arange(n),
    "base": lambda base: base,
    "frequencies": lambda d, base: base ** (-2.0 * np.arange(d // 2) / d),
    "spread": repeated,
    "partner": interleaved,
    "turn": lambda x, partner, cos, sin: x * cos + partner * sin,
    "arrange": lambda y: y,
    "both": lambda turned, given: turned,
}


def rotary(case: Case, frame: WeightMap, steps: Steps) -> Array:
    """Every given array turned; arrays lie along a first axis of their own."""
    do = PLAIN | steps
    given = case["x"]
    turned = np.stack([_turn(x, case.facts["offset"], frame, do) for x in given])
    return do["both"](turned, given)


def _turn(x: Array, offset: int, frame: WeightMap, do: Steps) -> Array:
    axis = do["axis"](frame.facts["axis"]) % x.ndim
    d, n = x.shape[-1], x.shape[axis]
    angles = np.outer(do["positions"](n, offset), do["frequencies"](d, do["base"](frame.facts["base"])))
    angles = do["spread"](angles)
    shape = [1] * x.ndim
    shape[axis], shape[-1] = n, d
    angles = angles.reshape(shape)
    return do["arrange"](do["turn"](x, do["partner"](x), np.cos(angles), np.sin(angles)))
