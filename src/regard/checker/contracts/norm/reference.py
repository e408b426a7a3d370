"""Layer norm and RMS norm in steps."""

from typing import Any

import numpy as np

from regard.checker.contract import Case, Steps, WeightMap
from regard.checker.grammar.program import Program, ProgramStep, Rewired, Value

Array = np.ndarray
Axis = int | tuple[int, ...]


def mean_square(x: Array, axis: Axis) -> Array:
    """The mean of the squares."""
    return (x**2).mean(axis=axis, keepdims=True)


def centred(x: Array, axis: Axis) -> Array:
    """What is left without the mean."""
    return x - x.mean(axis=axis, keepdims=True)


def _lower(x: Array) -> Array:
    """The median of the channels; of an even number the lower, as torch has it."""
    return np.sort(x, axis=-1)[..., (x.shape[-1] - 1) // 2, None]


TOKENS = ("samples", "tokens", "channels")
ROW = ("samples", "tokens", "one")
finish = Program(
    ("y", "x", "w"),
    (
        ProgramStep("load", ("w",), ("gain", "bias"), lambda w: (w["gain"], w["bias"])),
        ProgramStep("gain", ("y", "gain"), "grown", lambda y, gain: y * gain, "the gain", look="root power",
             instead=(("the gain is added and does not multiply", lambda y, gain: y + gain),
                      ("the gain divides and does not multiply", lambda y, gain: y / gain))),
        ProgramStep("bias", ("grown", "bias"), "done", lambda y, bias: y + bias, "the bias", look="bias root",
             instead=(("the bias multiplies and is not added", lambda y, bias: y * bias),)),
    ),
    ("done",),
    {"gain": Value(noun="the gain", axes=("channels",), count="is", weight=True), "bias": Value(noun="the bias", axes=("channels",), count="is", weight=True),
     "y": Value(noun="what was divided", axes=TOKENS, count="is"), "x": Value(noun="the input", axes=TOKENS, count="is")},
)  # fmt: skip
"The gain, and the bias."


def _others(about: str, base: str) -> tuple:
    """What people take in place of a mean of squares, of x or of what is left without its mean."""

    def of(f):
        return (lambda x, axis: f(x, axis)) if base == "x" else (lambda x, axis: f(centred(x, axis), axis))

    def largest(x: Array, axis: Axis) -> Array:
        return x.max(axis=axis, keepdims=True)

    def smallest(x: Array, axis: Axis) -> Array:
        return x.min(axis=axis, keepdims=True)

    return (
        (f"the largest square stands in place of {about}", of(lambda x, a: largest(x**2, a))),
        (f"the median of the squares stands in place of {about}", of(lambda x, a: np.median(x**2, axis=a, keepdims=True))),
        (f"the mean of the cubes stands in place of {about}", of(lambda x, a: (np.abs(x) ** 3).mean(axis=a, keepdims=True))),
        (f"the mean of the fourth powers stands in place of {about}", of(lambda x, a: (x**4).mean(axis=a, keepdims=True))),
        (f"the sum of the squares over the width less one stands in place of {about}", of(lambda x, a: (x**2).sum(axis=a, keepdims=True) / (x.shape[-1] - 1))),
        (f"the square of the mean stands in place of {about}", of(lambda x, a: x.mean(axis=a, keepdims=True) ** 2)),
        (f"the mean itself, without a square, stands in place of {about}", of(lambda x, a: x.mean(axis=a, keepdims=True))),
        (f"the square of the range, largest less smallest, stands in place of {about}", of(lambda x, a: (largest(x, a) - smallest(x, a)) ** 2)),
        (f"the range, largest less smallest, stands in place of {about}", of(lambda x, a: largest(x, a) - smallest(x, a))),
        (f"the sum of the absolute values, squared, stands in place of {about}", of(lambda x, a: np.abs(x).sum(axis=a, keepdims=True) ** 2)),
        (f"the mean of the roots stands in place of {about}", of(lambda x, a: np.sqrt(np.abs(x)).mean(axis=a, keepdims=True))),
        (f"the root of {about} stands in its place under the root: a deviation is rooted a second time", of(lambda x, a: np.sqrt((x**2).mean(axis=a, keepdims=True)))),
        (f"the mean of the squares of the first half of the channels stands in place of {about}", of(lambda x, a: (x[..., : x.shape[-1] // 2] ** 2).mean(axis=a, keepdims=True))),
        (f"the mean of the squares of the first quarter of the channels stands in place of {about}", of(lambda x, a: (x[..., : x.shape[-1] // 4] ** 2).mean(axis=a, keepdims=True))),
        (f"the square of the last channel is left out of {about}", of(lambda x, a: (x[..., :-1] ** 2).sum(axis=a, keepdims=True) / x.shape[-1])),
        (f"the square of the last channel is left out of {about}, and it is divided by the width less one", of(lambda x, a: (x[..., :-1] ** 2).mean(axis=a, keepdims=True))),
        (f"the square of the first channel is left out of {about}", of(lambda x, a: (x[..., 1:] ** 2).sum(axis=a, keepdims=True) / x.shape[-1])),
        (f"the square of the first channel is left out of {about}, and it is divided by the width less one", of(lambda x, a: (x[..., 1:] ** 2).mean(axis=a, keepdims=True))),
    )  # fmt: skip


def _divisions(noun: str) -> tuple:
    return (
        (f"{noun} has another power: it divides by the third root", lambda above, below, eps: above / np.cbrt(below + eps)),
        (f"{noun} has another power: it divides by the fourth root", lambda above, below, eps: above / (below + eps) ** 0.25),
        (f"{noun} has another power: it divides by the power 3/2", lambda above, below, eps: above / (below + eps) ** 1.5),
        (f"{noun} has another power: it divides by twice what should be rooted, as (...) ** -1 / 2 reads, where -0.5 is the power", lambda above, below, eps: above / (below + eps) / 2),
        (f"{noun} is left out: nothing is divided", lambda above, below, eps: above),
        ("the root is taken off and does not divide", lambda above, below, eps: above - np.sqrt(below + eps)),
        ("the root is taken for one where it is smaller: what is small is not scaled up", lambda above, below, eps: above / np.maximum(np.sqrt(below + eps), 1)),
        ("what stands under the root is taken for one where it is smaller, beside epsilon: what is small is not scaled up", lambda above, below, eps: above / np.sqrt(np.maximum(below, 1) + eps)),
        ("it divides by one plus the root", lambda above, below, eps: above / (1 + np.sqrt(below + eps))),
        ("epsilon is taken off and not added", lambda above, below, eps: above / np.sqrt(below - eps)),
        ("epsilon is multiplied and not added", lambda above, below, eps: above / np.sqrt(below * eps)),
        ("what is divided is squared, too", lambda above, below, eps: above**2 / np.sqrt(below + eps)),
    )  # fmt: skip


def _program(above: ProgramStep, below: ProgramStep, noun: str, others: tuple = ()) -> Program:
    return Program(
        ("given", "w", "eps"),
        (
            ProgramStep("before", ("given", "w"), "x", lambda x, w: x),
            ProgramStep("axis", ("x",), "axis", lambda x: -1),
            above,
            below,
            ProgramStep("divide", ("above", "below", "eps"), "divided", lambda above, below, eps: above / np.sqrt(below + eps), noun,
                 look="root power", instead=_divisions(noun)),
            ProgramStep("finish", ("divided", "x", "w"), "output", finish),
        ),
        ("output",),
        {"x": Value(noun="the input", axes=TOKENS, count="is"), "above": Value(noun="what is divided", axes=TOKENS, count="is"),
         "below": Value(noun="what stands under the root", axes=ROW, count="is"),
         "divided": Value(noun="the normalised input", axes=TOKENS, count="is"), "output": Value(noun="the output", axes=TOKENS, count="is")},
        others,
    )  # fmt: skip


def _about(slug: str, words: str, middle: Any) -> tuple:
    """Another number taken off, in the sum of squares too."""
    steps = {
        "above": lambda x, axis: x - middle(x),
        "below": lambda x, axis: mean_square(x - middle(x), axis),
    }
    return slug, words, steps


def _grouped(count: int, do: Any) -> Any:
    """What is computed of each group of neighbouring channels by itself."""

    def step(x: Array, axis: Axis) -> Array:
        groups = x.reshape(*x.shape[:-1], count, -1)
        return np.broadcast_to(do(groups, -1), groups.shape).reshape(x.shape)

    return step


def _groups(count: int, **steps: Any) -> tuple:
    words = f"the channels are normalised in {count} groups, each by itself (a group norm)"
    return f"groups-of-channels-{count}", words, {name: _grouped(count, do) for name, do in steps.items()}


PARTS = (2, 3, 4, 6, 8, 12)
"Numbers of groups that people choose."
MIDDLES = (
    *(_groups(count, above=centred, below=lambda x, axis: mean_square(centred(x, axis), axis)) for count in PARTS),
    ("bias-divided", "the bias is added before the division, so that it is divided too", {"finish": Rewired(("above", "below", "eps", "w"), lambda above, below, eps, w: (above * w["gain"] + w["bias"]) / np.sqrt(below + eps))}),
    _about("median-off", "the median is taken off in place of the mean", lambda x: np.median(x, axis=-1, keepdims=True)),
    _about("lower-median-off", "the median is taken off in place of the mean", _lower),
    _about("mean-added", "the mean is added and not taken off", lambda x: -x.mean(-1, keepdims=True)),
    _about("largest-off", "the largest is taken off in place of the mean", lambda x: x.max(-1, keepdims=True)),
    _about("smallest-off", "the smallest is taken off in place of the mean", lambda x: x.min(-1, keepdims=True)),
    _about("sum-off", "the sum is taken off in place of the mean", lambda x: x.sum(-1, keepdims=True)),
    _about("first-off", "the first channel is taken off in place of the mean", lambda x: x[..., :1]),
    _about("mean-of-tokens-off", "the mean over the tokens is taken off, not that over the channels", lambda x: x.mean(-2, keepdims=True)),
    _about("mean-of-all-off", "one mean for all tokens is taken off, not that of each token", lambda x: x.mean((-2, -1), keepdims=True)),
    ("mean-put-back", "the mean is added to the output again", {"finish": lambda y, x, w: finish(y, x, w) + x.mean(-1, keepdims=True)}),
    ("gain-before-norm", "the gain multiplies the input before it is normalised", {"before": lambda x, w: x * w["gain"], "finish": lambda y, x, w: y + w["bias"]}),
    ("bias-before-norm", "the bias is added to the input before it is normalised", {"before": lambda x, w: x + w["bias"], "finish": lambda y, x, w: y * w["gain"]}),
    ("gain-bias-exchanged", "gain and bias are exchanged", {"finish": lambda y, x, w: y * w["bias"] + w["gain"]}),
)  # fmt: skip
RMS = _program(
    ProgramStep("above", ("x", "axis"), "above", lambda x, axis: x),
    ProgramStep("below", ("x", "axis"), "below", mean_square, look="mean variance", instead=_others("the mean square", "x")),
    "the division by the root mean square",
    tuple(_groups(count, below=mean_square) for count in PARTS),
)  # fmt: skip
LAYER = _program(
    ProgramStep("above", ("x", "axis"), "above", centred, "the mean that is taken off", look="mean",
         instead=(("the median is taken off in place of the mean", lambda x, axis: x - np.median(x, axis=axis, keepdims=True)),
                  ("the lower median, as torch's median has it, is taken off in place of the mean", lambda x, axis: x - _lower(x)),
                  ("the mean is added and not taken off", lambda x, axis: x + x.mean(axis=axis, keepdims=True)),
                  ("the mean divides and is not taken off", lambda x, axis: x / x.mean(axis=axis, keepdims=True)),
                  ("the largest is taken off in place of the mean", lambda x, axis: x - x.max(axis=axis, keepdims=True)),
                  ("the smallest is taken off in place of the mean", lambda x, axis: x - x.min(axis=axis, keepdims=True)),
                  ("the mean is taken off twice", lambda x, axis: x - 2 * x.mean(axis=axis, keepdims=True)))),
    ProgramStep("below", ("x", "axis"), "below", lambda x, axis: mean_square(centred(x, axis), axis), look="mean variance",
         instead=_others("the variance", "centred")),
    "the division by the deviation",
    MIDDLES,
)  # fmt: skip


def norm(program: Program, case: Case, frame: WeightMap, steps: Steps) -> Array:
    """What lies above the line over the root of what lies below it, times the gain, plus the bias."""
    with np.errstate(all="ignore"):
        return program.run({"given": case["x"], "w": frame, "eps": frame.facts["eps"]}, steps)["output"]


def rms(case: Case, frame: WeightMap, steps: Steps) -> Array:
    """RMS norm."""
    return norm(RMS, case, frame, steps)


def layer(case: Case, frame: WeightMap, steps: Steps) -> Array:
    """Layer norm."""
    return norm(LAYER, case, frame, steps)
