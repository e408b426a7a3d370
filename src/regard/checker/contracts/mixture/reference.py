"""A mixture of Gaussians with diagonal covariance, in steps."""

import numpy as np

from regard.checker.contract import Case, Steps, WeightMap
from regard.checker.grammar.program import Program, ProgramStep, Rewired, Value

Array = np.ndarray


def logsumexp(x: Array, axis: int = -1) -> Array:
    """The logarithm of a sum of exponentials, without overflow."""
    top = x.max(axis=axis, keepdims=True)
    return (top + np.log(np.exp(x - top).sum(axis=axis, keepdims=True))).squeeze(axis)


def log_softmax(logits: Array) -> Array:
    """Logarithms of weights that sum to one."""
    return logits - logsumexp(logits)


def along(differences: Array, axes: Array | None) -> Array:
    """Differences along the axes (k, d, d) of each component, the columns of its covariance's eigenvectors."""
    return differences if axes is None else np.einsum("nki,kij->nkj", differences, axes)


def _log_mean(x: Array) -> Array:
    return logsumexp(x) - np.log(x.shape[-1])


def _whole(variances: Array, axes: Array | None) -> Array:
    """Covariances (k, d, d)."""
    turned = (
        np.broadcast_to(np.eye(variances.shape[-1]), (*variances.shape, variances.shape[-1]))
        if axes is None
        else axes
    )
    return np.einsum("kij,kj,klj->kil", turned, variances, turned)


def _entrywise(differences: Array, variances: Array, axes: Array | None) -> Array:
    inverse = 1 / _whole(variances, axes)
    return differences * np.einsum("kij,nkj->nki", inverse, differences)


SQUARES = (
    ("the absolute difference stands in place of its square", lambda diff, var: np.abs(diff) / var),
    ("the cube of the absolute difference stands in place of its square", lambda diff, var: np.abs(diff) ** 3 / var),
    ("the fourth power of the difference stands in place of its square", lambda diff, var: diff**4 / var),
    ("the difference is not squared", lambda diff, var: diff / var),
    ("the squares are multiplied by the variance and not divided by it", lambda diff, var: diff**2 * var),
    ("the squares are not divided by the variance", lambda diff, var: diff**2 + 0 * var),
    ("the variance is added to the squares and does not divide them", lambda diff, var: diff**2 + var),
    ("the whole quotient is squared, the variance too", lambda diff, var: (diff / var) ** 2),
    ("each number of the covariance is inverted by itself: the inverse matrix is needed", Rewired(("differences", "variances", "axes"), lambda diff, var, axes: _entrywise(diff, var, axes))),
    ("only the diagonal of the covariance divides the squares: the inverse matrix is needed", Rewired(("differences", "variances", "axes"), lambda diff, var, axes: diff**2 / np.einsum("kii->ki", _whole(var, axes)))),
)  # fmt: skip
CONSTANTS = (
    ("log(pi) stands in place of log(2 pi): the constant lacks its 2", lambda d: 0.5 * d * np.log(np.pi)),
    ("log(4 pi) stands in place of log(2 pi) in the constant", lambda d: 0.5 * d * np.log(4 * np.pi)),
    ("the constant is taken with the wrong sign: it is added and not taken off", lambda d: -0.5 * d * np.log(2 * np.pi)),
    ("the constant is 2 pi, without its logarithm", lambda d: 0.5 * d * 2 * np.pi),
    ("the constant is log(sqrt(pi)), without its 2 and not for each dimension", lambda d: 0.5 * np.log(np.pi)),
    ("the constant is a quarter, not half, of d log(2 pi)", lambda d: 0.25 * d * np.log(2 * np.pi)),
    ("the logarithm of the constant has base 10", lambda d: 0.5 * d * np.log10(2 * np.pi)),
    ("the logarithm of the constant has base 2", lambda d: 0.5 * d * np.log2(2 * np.pi)),
    ("the constant counts half the dimensions squared", lambda d: 0.5 * d**2 * np.log(2 * np.pi)),
)  # fmt: skip
JOINS = (
    ("the mean over the components stands in place of their sum", lambda w, p: _log_mean(w + p)),
    ("the mixing weights are taken off the densities, not added", lambda w, p: logsumexp(p - w)),
    ("the mixing weights count twice", lambda w, p: logsumexp(2 * w + p)),
    ("the density itself comes back: its logarithm is missing", lambda w, p: np.exp(w + p).sum(-1)),
    ("the first component alone counts", lambda w, p: (w + p)[:, 0]),
    ("the last component alone counts", lambda w, p: (w + p)[:, -1]),
    ("the mixing weights are added after the sum over the components", lambda w, p: logsumexp(p) + w.sum()),
    ("the least likely component alone counts", lambda w, p: (w + p).min(-1)),
    ("the result is negated: minus the log-likelihood comes back", lambda w, p: -logsumexp(w + p)),
    ("the largest term, which is taken off before the exponential, is not added back", lambda w, p: logsumexp(w + p) - (w + p).max(-1)),
)  # fmt: skip
PLAIN = Program(
    ("x", "w"),
    (
        ProgramStep("load", ("w",), ("means", "log variances", "logits", "axes"),
             lambda w: (w["means"][None], w["log_variances"], w["logits"], w.weights.get("axes"))),
        ProgramStep("width", ("x",), "dimension", lambda x: x.shape[-1]),
        ProgramStep("weigh", ("logits",), "log weights", log_softmax, "the log-softmax of the logits", look="log_softmax logsumexp"),
        ProgramStep("constant", ("dimension",), "constant", lambda d: 0.5 * d * np.log(2 * np.pi), look="pi", instead=CONSTANTS),
        ProgramStep("spread", ("log variances",), "half log variances", lambda log_variance: 0.5 * log_variance),
        ProgramStep("divisor", ("log variances",), "variances", np.exp, "the exponential of the log-variances", look="exponential"),
        ProgramStep("difference", ("x", "means"), "differences", lambda x, means: x[:, None] - means, look="power",
             instead=(("the means are added and not taken off", lambda x, means: x[:, None] + means),)),
        ProgramStep("turn", ("differences", "axes"), "apart", along),
        ProgramStep("quotient", ("apart", "variances"), "squares", lambda diff, var: diff**2 / var, look="power", instead=SQUARES),
        ProgramStep("square", ("squares",), "half squares", lambda square: 0.5 * square),
        ProgramStep("sum", ("half squares", "half log variances"), "terms", lambda square, spread: square + spread),
        ProgramStep("over", ("terms",), "exponents", lambda terms: terms.sum(-1), look="mean",
             instead=(("the largest term of the dimensions stands in place of their sum", lambda t: t.max(-1)),
                      ("the terms of the dimensions are multiplied, not summed", lambda t: t.prod(-1)),
                      ("the first dimension alone counts", lambda t: t[..., 0]),
                      ("the last dimension alone counts", lambda t: t[..., -1]))),
        ProgramStep("density", ("exponents", "constant"), "log densities", lambda exponents, constant: -exponents - constant),
        ProgramStep("join", ("log weights", "log densities"), "output",
             lambda log_weight, log_density: logsumexp(log_weight + log_density), look="logsumexp", instead=JOINS),
    ),
    ("output",),
    {
        "x": Value(noun="the samples", axes=("samples", "dimensions")),
        "means": Value(noun="the means", axes=("one", "components", "dimensions")),
        "log variances": Value(noun="the log-variances", axes=("components", "dimensions")),
        "logits": Value(noun="the logits", axes=("components",)),
        "log weights": Value(noun="the log-weights", axes=("components",)),
        "half log variances": Value(noun="the log-variances in front of the exponential", axes=("components", "dimensions")),
        "variances": Value(noun="the variances", axes=("components", "dimensions")),
        "squares": Value(noun="the squares", axes=("samples", "components", "dimensions")),
        "log densities": Value(noun="the log-densities", axes=("samples", "components")),
        "output": Value(noun="the log-likelihood", axes=("samples",), count="is"),
    },
)  # fmt: skip


def likelihood(case: Case, frame: WeightMap, steps: Steps) -> Array:
    """log p(x) of every sample: log of the sum over k of weight_k times N(x; mean_k, variance_k).

    Of what gives responsibilities, it is those.
    """
    with np.errstate(all="ignore"):
        known = PLAIN.run({"x": case["x"], "w": frame}, steps)
        if not frame.facts.get("shares"):
            return known["output"]
        terms = known["log weights"] + known["log densities"]
        return np.exp(terms - logsumexp(terms)[:, None])
