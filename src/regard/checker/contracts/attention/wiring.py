"""What goes wrong around the softmax of attention: projections, heads, the batch, and how a layer behaves."""

import numpy as np

from regard.checker.contract import Mistake, forms
from regard.checker.contracts.attention.reference import dot, merge, share

Array = np.ndarray


def cosine(q: Array, k: Array) -> Array:
    """The product of directions."""
    return dot(q / np.linalg.norm(q, axis=-1, keepdims=True), k / np.linalg.norm(k, axis=-1, keepdims=True))


def tile(heads: Array, group: int) -> Array:
    """All heads, and all again, as `repeat` gives them."""
    return np.concatenate([heads] * group, axis=1)


def last(y: Array) -> Array:
    """The last head alone, the others zero."""
    return merge(np.where(np.arange(y.shape[1])[:, None, None] == y.shape[1] - 1, y, 0.0))


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

DROPOUT = Mistake(
    slug="dropout-elsewhere",
    cause="dropout is applied where the average answer does not stay: before the weights are made to sum to one, or without making up for what is dropped",
    remedy="drop weights after the softmax, or outputs, with nn.Dropout",
    look="dropout",
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
        slug="projection-shared-by-heads",
        cause="one small projection serves all heads, and each head sees its own channels of the input alone",
        remedy="project first, nn.Linear(width, width), and split into heads then",
        look="view product",
    ),
    Mistake(
        slug="heads-added-up",
        cause="the outputs of the heads are averaged or added up before the output projection, and do not stand side by side",
        remedy="out.transpose(1, 2).reshape(b, n, heads * d), then nn.Linear(heads * d, width)",
        look="view mean product",
    ),
    DROPOUT,
    Mistake(
        slug="bias-argument",
        cause="an argument that says whether projections have biases is not passed on to every one of them",
        remedy="nn.Linear(width, width, bias=bias) for queries, keys and values alike",
        look="bias",
    ),
    Mistake(
        slug="heads-ignored",
        cause="one head runs over the whole width: the number of heads has no effect",
        remedy="split the channels into heads before the product: view(b, n, heads, d).transpose(1, 2)",
        look="product",
        forms=forms({"heads": lambda h: 1}),
    ),
    Mistake(
        slug="sum-overwritten",
        cause="each head overwrites what the heads before it gave: only the last one counts",
        remedy="add what each head gives (y = y + …), or put the heads side by side: torch.cat(heads, dim=-1)",
        look="product",
        forms=forms({"merge": last}),
    ),
    Mistake(
        slug="kv-heads-tiled",
        cause="the key and value heads are tiled (0 1 2 0 1 2) where each should stand once for every query head of its "
        "group (0 0 1 1 2 2): the layer trains, but weights of grouped models such as Llama's give wrong answers in it",
        remedy="repeat each head for its own group: k.repeat_interleave(group, dim=1), not k.repeat(1, group, 1, 1)",
        look="repeat view",
        forms=forms(
            {"share": lambda k, v, group: (tile(k, group), tile(v, group))},
            {"share": lambda k, v, group: (tile(k, group), share(k, v, group)[1])},
            {"share": lambda k, v, group: (share(k, v, group)[0], tile(v, group))},
        ),
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
        cause="dropout, or some other chance, is active in eval(): two calls with the same input differ",
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
        cause="no gradient, or a wrong one, reaches the input or a weight that the answer depends on",
        remedy="leave out .detach(), .data, torch.no_grad() and conversions to numpy on the way",
    ),
)
