"""What goes wrong in attention, whatever its form: each mistake is one or two steps of the reference replaced."""

import numpy as np

from regard.checker.contract import Convention, Mistake, each, forms
from regard.checker.references.attention import dot, merge, softmax, split

Array = np.ndarray

WEAK = (-1, -2, -3, -4, -5, -6, -7, -8, -9, -10, -12)
"Numbers that people fill in and that are not small enough."


def fill(value: float) -> dict:
    """Hidden scores get a number."""
    return {"hide": lambda s, seen: np.where(seen, s, value)}


def cosine(q: Array, k: Array) -> Array:
    """The product of directions."""
    return dot(q / np.linalg.norm(q, axis=-1, keepdims=True), k / np.linalg.norm(k, axis=-1, keepdims=True))


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
        forms=forms({"normalise": lambda s: softmax(s, 1)}),
    ),
    Mistake(
        slug="softmax-batch",
        cause="the softmax runs over the batch instead of the keys",
        remedy="softmax over the last axis, the keys: softmax(scores, dim=-1)",
        look="softmax exponential",
        forms=forms({"normalise": lambda s: softmax(s, 0)}),
    ),
    Mistake(
        slug="softmax-all",
        cause="one softmax runs over all scores together, so a row sums to much less than one",
        remedy="softmax over the last axis alone: softmax(scores, dim=-1)",
        look="softmax exponential",
        forms=forms(
            {"normalise": lambda s: softmax(s, (-2, -1))},
            {"normalise": lambda s: softmax(s, tuple(range(s.ndim)))},
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
        forms=forms({"normalise": lambda s: softmax(softmax(s))}),
    ),
    Mistake(
        slug="softmax-unstable",
        cause="exp is taken of the scores as they are, so that large scores overflow",
        remedy="take the largest score of each row off first, or use softmax(scores, dim=-1)",
        look="exponential softmax",
    ),
)

MASK = (
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
        slug="mask-weak",
        cause="hidden scores are filled with a number that is not small enough, so hidden tokens still weigh",
        remedy="fill with float('-inf')",
        look="mask masked",
        forms=each(WEAK, fill) + each(WEAK[1:], lambda v: {"hide": lambda s, seen: np.where(seen, s, s + v)}),
    ),
)

SWAPS = (
    Mistake(
        slug="k-v-swapped",
        cause="keys and values are exchanged: queries meet the values and the keys are averaged",
        remedy="softmax(q @ k^T) @ v",
        look="product split",
        forms=forms(
            {
                "project": lambda q, k, v, w: (
                    q @ w["wq"] + w["bq"],
                    v @ w["wv"] + w["bv"],
                    k @ w["wk"] + w["bk"],
                )
            }
        ),
    ),
    Mistake(
        slug="query-is-key",
        cause="queries and keys are the same vectors: one of the two projections is never used",
        remedy="compute q and k each with its own projection",
        look="product split",
        forms=forms(
            {
                "project": lambda q, k, v, w: (
                    q @ w["wq"] + w["bq"],
                    k @ w["wq"] + w["bq"],
                    v @ w["wv"] + w["bv"],
                )
            },
            {
                "project": lambda q, k, v, w: (
                    q @ w["wk"] + w["bk"],
                    k @ w["wk"] + w["bk"],
                    v @ w["wv"] + w["bv"],
                )
            },
        ),
    ),
    Mistake(
        slug="value-is-key",
        cause="the keys are averaged: the value projection is never used",
        remedy="softmax(q @ k^T) @ v with v from its own projection",
        look="product split",
        forms=forms(
            {
                "project": lambda q, k, v, w: (
                    q @ w["wq"] + w["bq"],
                    k @ w["wk"] + w["bk"],
                    v @ w["wk"] + w["bk"],
                )
            }
        ),
    ),
    Mistake(
        slug="value-is-query",
        cause="the queries are averaged: the value projection is never used",
        remedy="softmax(q @ k^T) @ v with v from its own projection",
        look="product split",
        forms=forms(
            {
                "project": lambda q, k, v, w: (
                    q @ w["wq"] + w["bq"],
                    k @ w["wk"] + w["bk"],
                    v @ w["wq"] + w["bq"],
                )
            }
        ),
    ),
    Mistake(
        slug="value-not-projected",
        cause="the inputs themselves are averaged: the value projection is never used",
        remedy="average v, the projected values, not x",
        look="product split",
        forms=forms({"project": lambda q, k, v, w: (q @ w["wq"] + w["bq"], k @ w["wk"] + w["bk"], v)}),
    ),
    Mistake(
        slug="weights-transposed",
        cause="the transposed weights multiply the values: token i receives what others' queries give to it",
        remedy="weights @ v, with the queries on the rows of the weights",
        look="product",
        forms=forms({"mix": lambda a, v: a.swapaxes(-1, -2) @ v}),
    ),
    Mistake(
        slug="similarity-cosine",
        cause="queries and keys are scaled to length one before their product: a cosine, not a dot product",
        remedy="use the plain product q @ k^T",
        look="mean product",
        forms=forms({"similarity": cosine}),
    ),
)

HEADS = (
    Mistake(
        slug="heads-split-view",
        cause="view(b, heads, n, d) cuts the tokens instead of the channels: a head mixes pieces of different tokens",
        remedy="view(b, n, heads, d).transpose(1, 2)",
        look="view",
        forms=forms({"split": lambda x, h: x.reshape(x.shape[0], h, x.shape[1], -1)}),
    ),
    Mistake(
        slug="heads-merge-view",
        cause="the heads are merged by view without exchanging the axes back: tokens get pieces of other tokens",
        remedy="y.transpose(1, 2).contiguous().view(b, n, c)",
        look="merge",
        forms=forms({"merge": lambda y: y.reshape(y.shape[0], y.shape[2], -1)}),
    ),
    Mistake(
        slug="heads-ignored",
        cause="one head runs over the whole width: the number of heads has no effect",
        remedy="split the channels into heads before the product: view(b, n, heads, d).transpose(1, 2)",
        look="product",
        forms=forms({"heads": lambda h: 1}),
    ),
    Mistake(
        slug="across-batch",
        cause="attention runs over the first axis, the batch: samples see each other and tokens do not",
        remedy="the input is (batch, tokens, channels): attend over axis 1 (nn.MultiheadAttention needs batch_first=True)",
        look="transpose view product",
        forms=forms({"turn": lambda x: x.swapaxes(0, 1)}),
    ),
    Mistake(
        slug="out-projection-missing",
        cause="the output projection is not applied",
        remedy="return self.proj(y) after merging the heads",
        look="merge",
        forms=forms({"leave": lambda y, x, w: y}, {"leave": lambda y, x, w: y + w["bo"]}),
    ),
    Mistake(
        slug="out-projection-transposed",
        cause="the output projection is applied transposed",
        remedy="y @ W.T for a weight of nn.Linear; better call the layer itself: self.proj(y)",
        look="out product",
        forms=forms(
            {"leave": lambda y, x, w: y @ w["wo"].T + w["bo"]}, {"leave": lambda y, x, w: y @ w["wo"].T}
        ),
    ),
    Mistake(
        slug="bias-dropped",
        cause="a projection has a bias that is never added",
        remedy="add the bias, or build the projection with bias=False",
        look="product bias",
        forms=forms(
            {"leave": lambda y, x, w: y @ w["wo"]},
            {"project": lambda q, k, v, w: (q @ w["wq"], k @ w["wk"], v @ w["wv"])},
            {"project": lambda q, k, v, w: (q @ w["wq"], k @ w["wk"], v @ w["wv"] + w["bv"])},
            {"project": lambda q, k, v, w: (q @ w["wq"] + w["bq"], k @ w["wk"] + w["bk"], v @ w["wv"])},
            {
                "project": lambda q, k, v, w: (q @ w["wq"], k @ w["wk"], v @ w["wv"]),
                "leave": lambda y, x, w: y @ w["wo"],
            },
        ),
    ),
)

BEHAVIOUR = (
    Mistake(
        slug="dropout-in-eval",
        cause="dropout is active in eval(): two calls with the same input differ",
        remedy="use nn.Dropout as a module, or F.dropout(…, training=self.training)",
        look="dropout softmax",
    ),
    Mistake(
        slug="state-between-calls",
        cause="the answer depends on earlier calls",
        remedy="keep nothing of one call on self, or clear it at the start of the next",
    ),
    Mistake(
        slug="input-modified",
        cause="the input is written into, in place",
        remedy="use operations without a trailing underscore, and x = x + … instead of x += …",
    ),
    Mistake(
        slug="gradient-cut",
        cause="no gradient reaches a weight that the answer depends on",
        remedy="leave out .detach(), .data, torch.no_grad() and conversions to numpy on the way",
    ),
)

RESIDUAL = Convention(
    slug="residual-added",
    says="the input is added to the output (a residual connection inside the layer)",
    forms=forms({"leave": lambda y, x, w: y @ w["wo"] + w["bo"] + x}),
)


def _split(x: Array, heads: int) -> Array:
    b, n, c = x.shape
    return x.reshape(b, n, c // heads, heads).transpose(0, 3, 1, 2)


def _merge(y: Array) -> Array:
    b, h, n, d = y.shape
    return y.transpose(0, 2, 3, 1).reshape(b, n, d * h)


INTERLEAVED = Convention(
    slug="heads-interleaved",
    says="heads take every h-th channel instead of neighbouring ones: the same layer after a permutation of the weights",
    forms=forms(
        {"split": _split, "merge": _merge},
        {"split": _split, "merge": merge},
        {"split": split, "merge": _merge},
    ),
)
SWAPPED = Convention(
    slug="q-k-swapped",
    says="what the names call queries serve as keys and the reverse: the same layer, but its weights cannot be loaded elsewhere by name",
)
FUSED = Convention(
    slug="fused-order",
    says="the fused projection holds q, k and v in another order than thirds q, k, v: matters only for loading weights from elsewhere",
)
MASKED_ROW = Convention(
    slug="masked-row-nan",
    says="a query that may see nothing gives NaN; zeros are kinder to what follows",
)
