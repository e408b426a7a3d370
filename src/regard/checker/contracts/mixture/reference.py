"""A mixture of Gaussians with diagonal covariance, in steps."""

import numpy as np

from regard.checker.contract import Case, Steps, WeightMap

Array = np.ndarray


def logsumexp(x: Array, axis: int = -1) -> Array:
    """The logarithm of a sum of exponentials, without overflow."""
    top = x.max(axis=axis, keepdims=True)
    return (top + np.log(np.exp(x - top).sum(axis=axis, keepdims=True))).squeeze(axis)


def log_softmax(logits: Array) -> Array:
    """Logarithms of weights that sum to one."""
    return logits - logsumexp(logits)


PLAIN: Steps = {
    "weigh": log_softmax,
    "constant": lambda d: 0.5 * d * np.log(2 * np.pi),
    "spread": lambda log_variance: 0.5 * log_variance,
    "divisor": np.exp,
    "square": lambda square: 0.5 * square,
    "over": lambda terms: terms.sum(-1),
    "join": lambda log_weight, log_density: logsumexp(log_weight + log_density),
}


def likelihood(case: Case, frame: WeightMap, steps: Steps) -> Array:
    """log p(x) of every sample: log of the sum over k of weight_k times N(x; mean_k, variance_k)."""
    do, x = PLAIN | steps, case["x"]
    with np.errstate(all="ignore"):
        square = (x[:, None] - frame["means"][None]) ** 2 / do["divisor"](frame["log_variances"])[None]
        terms = do["square"](square) + do["spread"](frame["log_variances"])[None]
        log_density = -do["over"](terms) - do["constant"](x.shape[-1])
        return do["join"](do["weigh"](frame["logits"])[None], log_density)
