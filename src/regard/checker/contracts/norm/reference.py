"""Layer norm and RMS norm in steps."""

import numpy as np

from regard.checker.contract import Case, Steps, WeightMap

Array = np.ndarray


def mean_square(x: Array, axis: int | tuple[int, ...]) -> Array:
    """The mean of the squares."""
    return (x**2).mean(axis=axis, keepdims=True)


def centred(x: Array, axis: int | tuple[int, ...]) -> Array:
    """What is left without the mean."""
    return x - x.mean(axis=axis, keepdims=True)


RMS: Steps = {
    "before": lambda x, w: x,
    "axis": lambda x: -1,
    "above": lambda x, axis: x,
    "below": mean_square,
    "divide": lambda above, below, eps: above / np.sqrt(below + eps),
    "finish": lambda y, x, w: y * w["gain"] + w["bias"],
}
LAYER: Steps = RMS | {"above": centred, "below": lambda x, axis: mean_square(centred(x, axis), axis)}


def norm(plain: Steps, case: Case, frame: WeightMap, steps: Steps) -> Array:
    """What lies above the line over the root of what lies below it, times the gain, plus the bias."""
    do = plain | steps
    x = do["before"](case["x"], frame)
    axis = do["axis"](x)
    with np.errstate(all="ignore"):
        y = do["divide"](do["above"](x, axis), do["below"](x, axis), frame.facts["eps"])
        return do["finish"](y, x, frame)


def rms(case: Case, frame: WeightMap, steps: Steps) -> Array:
    """RMS norm."""
    return norm(RMS, case, frame, steps)


def layer(case: Case, frame: WeightMap, steps: Steps) -> Array:
    """Layer norm."""
    return norm(LAYER, case, frame, steps)
