"""What goes wrong in a graph attention layer: the softmax, the mask, the direction, the score, the heads."""

from typing import Any

import numpy as np

from regard.checker.contract import Mistake, Steps, WeightMap, each, forms
from regard.checker.contracts.graph.reference import last, leaky, over, transform

GUARDS = (1e-16, 1e-12, 1e-10, 1e-9, 1e-8, 1e-6)
"What people add to a sum that might be zero."

FILLED = -1e9
"A large negative number that people write for minus infinity: where it fills a whole column, all weigh the same."


def guarded(eps: float, axes: tuple[int, ...]) -> Steps:
    """One maximum for the whole graph, and a guard against zero that outweighs the rows far below it."""

    def normalise(e: np.ndarray, a: np.ndarray) -> np.ndarray:
        raised = np.exp(e - np.where(a > 0, e, -np.inf).max(axes, keepdims=True)) * a
        return raised / (raised.sum(-1, keepdims=True) + eps)

    return {"normalise": normalise}


SOFTMAX = (
    Mistake(
        slug="softmax-all-edges",
        cause="one softmax runs over all edges of the graph, so the weights of one node do not sum to one",
        remedy="one softmax for each target node: over the edges that end in it (dense: over the last axis)",
        look="softmax exponential",
        forms=forms(
            {"normalise": lambda e, a: over(e, np.broadcast_to(a, e.shape), (-2, -1))},
            {"normalise": lambda e, a: over(e, np.broadcast_to(a, e.shape), (0, 1, 2))},
        ),
    ),
    Mistake(
        slug="softmax-sources",
        cause="the softmax runs over the wrong end: over the nodes that listen to a source, not over the sources of a node",
        remedy="normalise over the edges with the same target (dense, with rows as listeners: dim=-1)",
        look="softmax exponential gather",
        forms=forms(
            {"normalise": lambda e, a: over(e, np.broadcast_to(a, e.shape), -2)},
            {"normalise": lambda e, a: over(np.where(a > 0, e, FILLED), np.ones(e.shape), -2)},
            {"normalise": lambda e, a: _hollow(e, a, -2)},
        ),
    ),
    Mistake(
        slug="softmax-heads",
        cause="the softmax runs over the heads instead of the neighbours",
        remedy="softmax over the neighbours of each node",
        look="softmax exponential",
        forms=forms(
            {"normalise": lambda e, a: over(e, np.broadcast_to(a, e.shape), 0)},
            {"normalise": lambda e, a: over(np.where(a > 0, e, FILLED), np.ones(e.shape), 0)},
        ),
    ),
    Mistake(
        slug="softmax-missing",
        cause="the scores weigh as they are: there is no softmax",
        remedy="softmax over the neighbours of each node",
        look="product leaky",
        forms=forms({"normalise": lambda e, a: e * a}),
    ),
    Mistake(
        slug="softmax-unnormalised",
        cause="the exponentials are not divided by their sum over the neighbours",
        remedy="divide by the sum over the edges that end in the node",
        look="exponential",
        forms=forms(
            {"normalise": lambda e, a: np.exp(e) * a},
            {
                "normalise": lambda e, a: (
                    np.exp(e - np.where(a > 0, e, -np.inf).max((1, 2), keepdims=True)) * a
                )
            },
        ),
    ),
    Mistake(
        slug="softmax-unstable",
        cause="exp is taken of the scores as they are, or less one maximum for the whole graph: large scores overflow or vanish",
        remedy="take off the largest score among the node's own neighbours first",
        look="exponential",
        weak=True,
        forms=(
            *each(GUARDS, lambda eps: guarded(eps, (1, 2))),
            *each(GUARDS, lambda eps: guarded(eps, (0, 1, 2))),
        ),
    ),
    Mistake(
        slug="mask-ignored",
        cause="every node gathers from every node: the graph has no effect on the weights",
        remedy="scores.masked_fill(adj == 0, float('-inf')) before the softmax",
        look="softmax mask",
        forms=forms({"graph": np.ones_like}),
    ),
    Mistake(
        slug="mask-inverted",
        cause="neighbours are hidden and all others are seen: the mask is applied the wrong way round",
        remedy="hide where there is no edge: scores.masked_fill(adj == 0, float('-inf'))",
        look="mask masked",
        forms=forms({"graph": lambda a: (a == 0).astype(float)}),
    ),
    Mistake(
        slug="mask-zero-fill",
        cause="scores of nodes that are no neighbours become 0 instead of minus infinity, so they still weigh",
        remedy="scores.masked_fill(adj == 0, float('-inf'))",
        look="mask masked",
        forms=forms(
            {"normalise": lambda e, a: over(np.where(a > 0, e, 0.0), np.ones(e.shape))},
            {"normalise": lambda e, a: over(np.where(a > 0, e, 0.0), np.ones(e.shape)) * (a > 0)},
        ),
    ),
    Mistake(
        slug="mask-too-weak",
        cause="scores of nodes that are no neighbours become a number that is not far enough below the others: they still weigh",
        remedy="scores.masked_fill(adj == 0, float('-inf')), or a number such as -1e9",
        look="mask masked",
        forms=each(
            (-1.0, -5.0, -9.0, -10.0),
            lambda low: {"normalise": lambda e, a: over(np.where(a > 0, e, low), np.ones(e.shape))},
        ),
    ),
    Mistake(
        slug="mask-after-softmax",
        cause="the softmax runs over all nodes and the others are zeroed afterwards, so the weights do not sum to one",
        remedy="hide the others before the softmax, with minus infinity",
        look="mask masked",
        forms=forms({"normalise": lambda e, a: over(e, np.ones(e.shape)) * (a > 0)}),
    ),
    Mistake(
        slug="direction-reversed",
        cause="source and target are exchanged: a node gathers from those who listen to it",
        remedy="edge_index[0] are sources and edge_index[1] targets: gather x[source], add at target (dense: row i holds whom i listens to)",
        look="gather product",
        forms=forms({"graph": lambda a: (a.T > 0).astype(float)}),
    ),
)


LOOPLESS = Mistake(
    slug="self-loops-removed",
    cause="loops that the graph brings are left out: a node that listens to itself does not hear itself",
    remedy="leave the edges as they come, or add a loop at every node afterwards",
    look="loops gather mask",
    forms=forms({"graph": lambda a: (a > 0) * (1.0 - np.eye(len(a)))}),
)


def scored(change: Any) -> dict:
    """A mistake in the score."""
    return {"score": change}


SECOND = forms(
    {"bend": lambda bent, h, g, t, s, b, do: _each(do.get("activate", leaky)(h), t, s) + b},
    {
        "bend": lambda bent, h, g, t, s, b, do: (
            np.einsum("ijhd,hd->hij", do.get("activate", leaky)(g[:, None] + h[None]), s) + b
        )
    },
)
"GATv2: the LeakyReLU on the two ends side by side, or on their sum, and then the attention vector."


def _hollow(e: np.ndarray, a: np.ndarray, axis: int) -> np.ndarray:
    """A softmax of what is filled with -inf: NaN where nothing else stands."""
    count = np.broadcast_to(a, e.shape)
    return np.where(count.sum(axis=axis, keepdims=True) > 0, over(e, count, axis), np.nan)


def _each(h: np.ndarray, target: np.ndarray, source: np.ndarray) -> np.ndarray:
    return np.einsum("nhd,hd->hn", h, target)[:, :, None] + np.einsum("nhd,hd->hn", h, source)[:, None]


def _parts(h: np.ndarray, g: np.ndarray, t: np.ndarray, s: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The score with a LeakyReLU on the part of each end, before they are added."""
    return (
        leaky(np.einsum("nhd,hd->hn", g, t))[:, :, None] + leaky(np.einsum("nhd,hd->hn", h, s))[:, None] + b
    )


def _cut(x: np.ndarray, w: WeightMap) -> np.ndarray:
    """Channels as (nodes, heads, d), read as if they lay as (heads, nodes, d)."""
    h = transform(x, w)
    return h.reshape(h.shape[1], h.shape[0], h.shape[2]).swapaxes(0, 1)


def _stuck(y: np.ndarray) -> np.ndarray:
    """Heads that come first, reshaped as they lie."""
    return y.swapaxes(0, 1).reshape(len(y), -1)


SCORE = (
    Mistake(
        slug="leaky-before-vector",
        cause="the LeakyReLU comes before the attention vector: that is GATv2, which nothing in the source asks for",
        remedy="F.leaky_relu(a . [W x_i, W x_j], 0.2): first the vector, then the LeakyReLU; or call the layer GATv2",
        look="leaky",
        forms=SECOND,
    ),
    Mistake(
        slug="leaky-missing",
        cause="there is no LeakyReLU on the scores: the node's own part then cancels in the softmax",
        remedy="LeakyReLU(score, 0.2) before the softmax",
        look="softmax product",
        forms=forms({"activate": lambda e: e}),
    ),
    Mistake(
        slug="leaky-of-parts",
        cause="the LeakyReLU stands on the part of each end before the two are added: the node's own part then cancels in the softmax",
        remedy="F.leaky_relu(own[:, None] + other[None], 0.2): first add the two, then the LeakyReLU",
        look="leaky",
        forms=forms(scored(_parts) | {"activate": lambda e: e}),
    ),
    Mistake(
        slug="leaky-slope",
        cause="the LeakyReLU has another slope than 0.2 (torch's default is 0.01)",
        remedy="F.leaky_relu(score, 0.2)",
        look="leaky",
        forms=each(
            (0.01, 0.1, 0.3, 0.5, 0.05, 0.02, 0.25), lambda slope: {"activate": lambda e: leaky(e, slope)}
        ),
    ),
    Mistake(
        slug="relu-for-leaky",
        cause="ReLU stands where LeakyReLU should be: all negative scores become equal",
        remedy="F.leaky_relu(score, 0.2)",
        look="leaky",
        forms=forms({"activate": lambda e: np.maximum(e, 0)}),
    ),
    Mistake(
        slug="leaky-after-softmax",
        cause="the LeakyReLU comes after the softmax, where nothing is negative: it does nothing",
        remedy="LeakyReLU first, then softmax",
        look="leaky softmax",
        forms=forms(
            {"activate": lambda e: e, "keep": lambda alpha, a: leaky(alpha)},
        ),
    ),
    Mistake(
        slug="raw-features",
        cause="the inputs themselves are averaged, not their transformation",
        remedy="sum w_ij W x_j",
        look="product gather",
        forms=forms(
            {"mix": lambda alpha, h, x: np.einsum("hij,jf->ihf", alpha, x)},
            {"mix": lambda alpha, h, x: np.einsum("hij,jhf->ihf", alpha, x.reshape(len(x), h.shape[1], -1))},
        ),
    ),
    Mistake(
        slug="sum-overwritten",
        cause="each message overwrites the one before it: a node keeps only what came last",
        remedy="add the messages up: index_add_ or scatter_add_, not out[target] = …",
        look="gather product",
        forms=forms({"mix": lambda alpha, h, x: np.einsum("hij,jhd->ihd", last(alpha), h)}),
    ),
    Mistake(
        slug="heads-averaged",
        cause="the heads are averaged where they should stand side by side",
        remedy="flatten the heads: y.reshape(n, heads * d); average only in a last layer, and say so",
        look="mean concatenate",
        forms=forms({"merge": lambda y: y.mean(1)}),
    ),
    Mistake(
        slug="heads-summed",
        cause="the heads are summed: they should stand side by side or, in a last layer, be averaged",
        remedy="flatten the heads: y.reshape(n, heads * d); in a last layer y.mean(1)",
        look="mean concatenate",
        forms=forms({"merge": lambda y: y.sum(1)}),
    ),
    Mistake(
        slug="heads-split-view",
        cause="the heads are cut by a view that mixes nodes and channels",
        remedy="h.view(n, heads, d), and then .transpose(0, 1) where the heads come first",
        look="view product",
        forms=forms({"transform": _cut}, {"transform": _cut, "merge": _stuck}),
    ),
    Mistake(
        slug="heads-merge-view",
        cause="the heads are merged by a view without moving their axis back, which mixes nodes and channels",
        remedy=".transpose(0, 1) before the reshape: (heads, n, d) to (n, heads, d) to (n, heads * d)",
        look="view concatenate",
        forms=forms(
            {"merge": _stuck},
            {"merge": _stuck, "normalise": lambda e, a: over(np.where(a > 0, e, FILLED), np.ones(e.shape))},
        ),
    ),
    Mistake(
        slug="heads-share-attention",
        cause="all heads use the attention vector of one head",
        remedy="give each head its own vector: (Wh * a).sum(-1) with a of shape (heads, d)",
        look="product",
        forms=forms({"vectors": lambda t, s: (np.repeat(t[:1], len(t), 0), np.repeat(s[:1], len(s), 0))}),
    ),
    Mistake(
        slug="heads-share-weight",
        cause="all heads use the transformation of one head",
        remedy="W maps to heads * d channels: view(n, heads, d)",
        look="view product",
        forms=forms({"transform": lambda x, w: np.repeat(transform(x, w)[:, :1], w["w"].shape[1], 1)}),
    ),
    Mistake(
        slug="source-term-missing",
        cause="the score ignores the neighbour: all neighbours of a node weigh the same",
        remedy="a . [W x_i, W x_j]: both ends count",
        look="product concatenate",
        forms=forms(
            scored(lambda h, g, t, s, b: np.repeat(np.einsum("nhd,hd->hn", h, t)[:, :, None], len(h), 2) + b)
        ),
    ),
    Mistake(
        slug="target-term-missing",
        cause="the score ignores the node itself: every node gives the same neighbours the same weights",
        remedy="a . [W x_i, W x_j]: both ends count",
        look="product concatenate",
        forms=forms(
            scored(lambda h, g, t, s, b: np.repeat(np.einsum("nhd,hd->hn", h, s)[:, None], len(h), 1) + b),
            scored(
                lambda h, g, t, s, b: np.repeat(2 * np.einsum("nhd,hd->hn", h, s)[:, None], len(h), 1) + b
            ),
            scored(
                lambda h, g, t, s, b: np.repeat(np.einsum("nhd,hd->hn", h, t + s)[:, None], len(h), 1) + b
            ),
        ),
    ),
    Mistake(
        slug="attention-unused",
        cause="all neighbours weigh the same: the attention scores are not used",
        remedy="weigh each neighbour by its softmax",
        look="softmax product",
        forms=forms(
            {"normalise": lambda e, a: np.broadcast_to(a / np.maximum(a.sum(1, keepdims=True), 1), e.shape)}
        ),
    ),
    Mistake(
        slug="bias-dropped",
        cause="the bias exists and is never added",
        remedy="add self.bias to the result",
        look="bias product",
        forms=forms({"finish": lambda y, w: y}),
    ),
    Mistake(
        slug="not-equivariant",
        cause="the output depends on how the nodes are numbered",
        remedy="use no node index as a feature, and no order of the edges",
    ),
)
