"""What goes wrong in attention, whatever its form: each mistake is one or two steps of the reference replaced."""

import numpy as np

from regard.checker.contract import Mistake, each, forms
from regard.checker.contracts.attention.reference import softmax

Array = np.ndarray


def _raised(scores: np.ndarray) -> np.ndarray:
    """The exponentials of scores, each row with its own largest taken off."""
    return np.exp(scores - scores.max(-1, keepdims=True))


def _logarithms(scores: np.ndarray) -> np.ndarray:
    """The logarithms of the softmax."""
    return scores - scores.max(-1, keepdims=True) - np.log(_raised(scores).sum(-1, keepdims=True))


WEAK = (-1, -2, -3, -4, -5, -6, -7, -8, -9, -10, -12)
"Numbers that people fill in and that are not small enough."


def fill(value: float) -> dict:
    """Hidden scores get a number."""
    return {"hide": lambda s, seen: np.where(seen, s, value)}


def unnormalised(s: Array) -> Array:
    """Exponentials without their sum."""
    return np.exp(s)


def shifted(s: Array) -> Array:
    """Exponentials of what lies below the maximum, without their sum."""
    return np.exp(s - s.max(axis=-1, keepdims=True))


def reshaped(q: Array, k: Array) -> Array:
    """Keys whose two axes are renamed, not exchanged."""
    return q @ k.reshape(*k.shape[:-2], k.shape[-1], k.shape[-2])


SCALE = (
    Mistake(
        slug="scale-missing",
        cause="the scores are not divided by the square root of the head width",
        remedy="divide the scores by sqrt(d), where d is the width of one head: (q @ k.transpose(-2, -1)) / math.sqrt(d)",
        look="product softmax",
        forms=forms({"scale": lambda size: 1.0}),
    ),
    Mistake(
        slug="scale-not-rooted",
        cause="the scores are divided by the head width itself, not by its square root",
        remedy="divide by sqrt(d) instead of d",
        look="power product",
        forms=forms({"scale": lambda size: 1.0 / size.d}),
    ),
    Mistake(
        slug="scale-multiplied",
        cause="the scores are multiplied by the square root of the head width instead of divided by it",
        remedy="divide by sqrt(d), or multiply by d ** -0.5",
        look="root power product",
        forms=forms({"scale": lambda size: size.d**0.5}),
    ),
    Mistake(
        slug="scale-length",
        cause="the scores are divided by the square root of the number of tokens, not of the head width",
        remedy="take d from the last axis of q: q.size(-1)",
        look="root power product",
        forms=forms({"scale": lambda size: size.m**-0.5}, {"scale": lambda size: size.n**-0.5}),
    ),
    Mistake(
        slug="scale-width",
        cause="the scores are divided by the square root of the model width, not of the head width",
        remedy="use the width of one head, width // heads (after the split: q.size(-1))",
        look="root power product",
        forms=forms({"scale": lambda size: size.width**-0.5}),
    ),
    Mistake(
        slug="scale-heads",
        cause="the scores are divided by the square root of the number of heads, not of the head width",
        remedy="take d from the last axis of q, after the split into heads: q.size(-1)",
        look="root power product",
        forms=forms({"scale": lambda size: size.heads**-0.5}),
    ),
    Mistake(
        slug="scale-after-softmax",
        cause="the division by the square root of the head width comes after the softmax, so the weights no longer sum to one",
        remedy="divide the scores before the softmax",
        look="softmax",
        forms=forms({"scale": lambda size: 1.0, "keep": lambda w, seen, size: w * size.d**-0.5}),
    ),
)

SOFTMAX = (
    Mistake(
        slug="softmax-queries",
        cause="the softmax runs over the queries, so the weights of one query do not sum to one",
        remedy="softmax over the last axis, the keys: softmax(scores, dim=-1)",
        look="softmax exponential",
        forms=forms({"normalise": lambda s: softmax(s, -2)}),
    ),
    Mistake(
        slug="softmax-heads",
        cause="the softmax runs over the heads instead of the keys",
        remedy="softmax over the last axis, the keys: softmax(scores, dim=-1)",
        look="softmax exponential",
        forms=forms(
            {"normalise": lambda s: softmax(s, 1)}, {"normalise": lambda s: softmax(s, 1), **fill(-1e9)}
        ),
    ),
    Mistake(
        slug="softmax-batch",
        cause="the softmax runs over the batch instead of the keys",
        remedy="softmax over the last axis, the keys: softmax(scores, dim=-1)",
        look="softmax exponential",
        forms=forms(
            {"normalise": lambda s: softmax(s, 0)}, {"normalise": lambda s: softmax(s, 0), **fill(-1e9)}
        ),
    ),
    Mistake(
        slug="softmax-all",
        cause="one softmax runs over all scores together, so a row sums to much less than one",
        remedy="softmax over the last axis alone: softmax(scores, dim=-1)",
        look="softmax exponential",
        forms=forms(
            {"normalise": lambda s: softmax(s, (-2, -1))},
            {"normalise": lambda s: softmax(s, tuple(range(s.ndim)))},
            {"normalise": lambda s: _raised(s) / _raised(s).sum()},
            {"normalise": lambda s: _raised(s) / _raised(s).sum((-2, -1), keepdims=True)},
        ),
    ),
    Mistake(
        slug="softmax-missing",
        cause="the scores weigh the values as they are: there is no softmax",
        remedy="turn the scores into weights first: softmax(scores, dim=-1) @ v",
        look="product",
        forms=forms(
            {"normalise": lambda s: s},
            {"normalise": lambda s: s, "hide": lambda s, seen: np.where(seen, s, 0.0)},
            {"normalise": lambda s: s, "hide": lambda s, seen: np.where(seen, s, -1e9)},
        ),
    ),
    Mistake(
        slug="softmax-log",
        cause="the logarithms of the weights weigh the values: a log-softmax stands in place of the softmax",
        remedy="softmax(scores, dim=-1) @ v; the logarithm is for a loss",
        look="softmax",
        forms=forms({"normalise": _logarithms}),
    ),
    Mistake(
        slug="softmax-unnormalised",
        cause="the exponentials of the scores are not divided by their sum",
        remedy="divide by the sum over the keys, or use softmax(scores, dim=-1)",
        look="exponential softmax",
        forms=forms({"normalise": unnormalised}, {"normalise": shifted}),
    ),
    Mistake(
        slug="softmax-twice",
        cause="the softmax is taken twice, which flattens the weights",
        remedy="take the softmax once",
        look="softmax",
        forms=forms(
            {"normalise": lambda s: softmax(softmax(s))},
            {"normalise": lambda s: softmax(np.where(np.isneginf(s), s, softmax(s)))},
        ),
    ),
    Mistake(
        slug="softmax-unstable",
        cause="exp is taken without the largest score of its own row taken off first, so that large scores overflow or vanish",
        remedy="take the largest score of each row off first, or use softmax(scores, dim=-1)",
        look="exponential softmax",
        weak=True,
    ),
)

MASK = (
    Mistake(
        slug="mask-times-infinity",
        cause="with a mask, what may be seen gives NaN too: 0 times infinity is NaN, not 0, and so is infinity over infinity",
        remedy="fill and do not multiply: scores.masked_fill(hidden, float('-inf'))",
        look="mask masked",
        forms=forms({"hide": lambda s, seen: s if seen.all() else np.where(seen, np.nan, -np.inf)}),
    ),
    Mistake(
        slug="mask-zero-fill",
        cause="hidden scores become 0 instead of minus infinity, so hidden tokens still get weight exp(0)",
        remedy="scores.masked_fill(hidden, float('-inf')) before the softmax",
        look="mask masked",
        forms=forms(fill(0.0)),
    ),
    Mistake(
        slug="mask-after-softmax",
        cause="hidden weights are set to zero after the softmax, so the rows no longer sum to one",
        remedy="hide scores before the softmax: scores.masked_fill(hidden, float('-inf'))",
        look="mask masked",
        forms=forms({"hide": lambda s, seen: s, "keep": lambda w, seen, size: np.where(seen, w, 0.0)}),
    ),
    Mistake(
        slug="mask-added",
        cause="the mask of zeros and ones is added to the scores, which hides nothing",
        remedy="add 0 where a token may be seen and minus infinity where not, or use masked_fill",
        look="masked mask",
        forms=forms({"hide": lambda s, seen: s + seen}, {"hide": lambda s, seen: s + ~seen}),
    ),
    Mistake(
        slug="mask-by-zero",
        cause="a score that is exactly 0 is taken for a hidden one, as where the mask is multiplied in and zeros are hidden",
        remedy="let the mask itself say what is hidden: scores.masked_fill(~mask, float('-inf'))",
        look="mask masked",
        forms=forms({"hide": lambda s, seen: np.where(seen & (s != 0), s, -np.inf)}),
    ),
    Mistake(
        slug="mask-weak",
        cause="hidden scores are filled with a number that is not small enough, so hidden tokens still weigh",
        remedy="fill with float('-inf')",
        look="mask masked",
        forms=each(WEAK, fill) + each(WEAK[1:], lambda v: {"hide": lambda s, seen: np.where(seen, s, s + v)}),
    ),
)
