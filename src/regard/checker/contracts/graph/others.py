"""What people compute in place of a graph layer's scores, sums and degrees."""

import numpy as np

Array = np.ndarray


def _own(g: Array, t: Array) -> Array:
    return np.einsum("nhd,hd->hn", g, t)[:, :, None]


def _other(h: Array, s: Array) -> Array:
    return np.einsum("nhd,hd->hn", h, s)[:, None]


def _unit(h: Array) -> Array:
    return h / np.linalg.norm(h, axis=-1, keepdims=True)


def _dot(h: Array, g: Array) -> Array:
    return np.einsum("ihd,jhd->hij", g, h)


SCORES = (
    ("the two terms of the score are multiplied, not added", lambda h, g, t, s, b: _own(g, t) * _other(h, s) + b),
    ("the neighbour's term is taken off the node's own, not added", lambda h, g, t, s, b: _own(g, t) - _other(h, s) + b),
    ("the node's own term is taken off the neighbour's, not added", lambda h, g, t, s, b: _other(h, s) - _own(g, t) + b),
    ("the score is the dot product of the two nodes' features: the attention vector is not used", lambda h, g, t, s, b: _dot(h, g) + b),
    ("the score is the scaled dot product of the two nodes' features: the attention vector is not used", lambda h, g, t, s, b: _dot(h, g) / np.sqrt(h.shape[-1]) + b),
    ("the score is the cosine of the two nodes' features: the attention vector is not used", lambda h, g, t, s, b: _dot(_unit(h), _unit(g)) + b),
    ("the two halves of the attention vector are exchanged: the node's own half meets the neighbour", lambda h, g, t, s, b: _own(g, s) + _other(h, t) + b),
    ("one half of the attention vector serves both ends", lambda h, g, t, s, b: _own(g, t) + _other(h, t) + b),
    ("the neighbour's half of the attention vector serves both ends", lambda h, g, t, s, b: _own(g, s) + _other(h, s) + b),
    ("the score is averaged over the channels, not summed", lambda h, g, t, s, b: (_own(g, t) + _other(h, s)) / h.shape[-1] + b),
    ("the score weighs the product of the two nodes' features", lambda h, g, t, s, b: np.einsum("ihd,jhd,hd->hij", g, h, t) + b),
    ("the score weighs the difference of the two nodes' features", lambda h, g, t, s, b: _own(g, t) - _other(h, t) + b),
)  # fmt: skip
MIXES = (
    ("a node gathers its own features, weighted, in place of its neighbours'", lambda a, h, x: np.einsum("hij,ihd->ihd", a, h)),
    ("a node's own features are added to what it gathers", lambda a, h, x: np.einsum("hij,jhd->ihd", a, h) + h),
    ("a node's own features are taken off what it gathers", lambda a, h, x: np.einsum("hij,jhd->ihd", a, h) - h),
    ("the weights go the other way: a node gathers by what its neighbours give it", lambda a, h, x: np.einsum("hji,jhd->ihd", a, h)),
    ("the largest of the weighted neighbours is taken, not their sum", lambda a, h, x: np.where(a[..., None] > 0, np.einsum("hij,jhd->hijd", a, h), -np.inf).max(2).transpose(1, 0, 2)),
    ("the weighted neighbours are averaged, not summed", lambda a, h, x: np.einsum("hij,jhd->ihd", a, h) / np.maximum((a[0] > 0).sum(1), 1)[:, None, None]),
)  # fmt: skip
WEIGHTS = (
    ("each score is passed through a sigmoid by itself, in place of the softmax over the neighbours", lambda e, a: a / (1 + np.exp(-e))),
    ("each score is passed through a tanh by itself, in place of the softmax over the neighbours", lambda e, a: a * np.tanh(e)),
    ("the softmax has the base two, not e", lambda e, a: _shares(e * np.log(2), a)),
    ("each exponential is divided by the sum that belongs to the neighbour, not by that of the node that listens", lambda e, a: _elsewhere(e, a)),
    ("the scores are divided by their sum over the neighbours, without an exponential", lambda e, a: _over(e * a, (e * a).sum(-1, keepdims=True))),
    ("what is taken off the scores for stability is the largest score at the neighbour, not at the node that listens, and does not cancel", lambda e, a: _lowered(e, a)),
)  # fmt: skip
GRAPHS = (
    ("edges run in both directions: the graph is made symmetric first", lambda a: ((a + a.T) > 0).astype(float)),
    ("only edges that run in both directions count", lambda a: ((a > 0) & (a.T > 0)).astype(float)),
)  # fmt: skip
SPREADS = (
    ("a node's own transformed features are added to what it gathers", lambda a, h: a @ h + h),
    ("a node's own transformed features are taken off what it gathers", lambda a, h: a @ h - h),
    ("what a node gathers is taken off its own transformed features", lambda a, h: h - a @ h),
    ("the mean over all nodes is added to what a node gathers", lambda a, h: a @ h + h.mean(0)),
    ("a node gathers its own transformed features, weighted, in place of its neighbours'", lambda a, h: a.sum(1, keepdims=True) * h),
    ("the weighted neighbours are averaged, not summed", lambda a, h: a @ h / np.maximum((a != 0).sum(1, keepdims=True), 1)),
    ("the largest of the weighted neighbours is taken, not their sum", lambda a, h: np.where(a[..., None] != 0, a[..., None] * h[None], -np.inf).max(1)),
)  # fmt: skip


def _raised(e: Array, a: Array) -> Array:
    top = np.where(a > 0, e, -np.inf).max(-1, keepdims=True)
    return np.where(a > 0, np.exp(e - np.where(np.isfinite(top), top, 0.0)), 0.0)


def _over(e: Array, total: Array) -> Array:
    return e / np.where(total == 0, 1.0, total)


def _shares(e: Array, a: Array) -> Array:
    raised = _raised(e, a)
    return _over(raised, raised.sum(-1, keepdims=True))


def _elsewhere(e: Array, a: Array) -> Array:
    raised = _raised(e, a)
    return _over(raised, raised.sum(-1)[:, None])


def _lowered(e: Array, a: Array) -> Array:
    top = np.where(a > 0, e, -np.inf).max(-1)
    raised = np.where(a > 0, np.exp(e - np.where(np.isfinite(top), top, 0.0)[:, None]), 0.0)
    return _over(raised, raised.sum(-1, keepdims=True))


def _powered(left: float, right: float):
    return lambda a, d: (d**left)[:, None] * a * (d**right)[None]


DEGREES = (
    ("the degrees have another power: the third root divides on both sides", _powered(-1 / 3, -1 / 3)),
    ("the degrees have another power: the fourth root divides on both sides", _powered(-0.25, -0.25)),
    ("the degrees have another power: -3/2 on both sides", _powered(-1.5, -1.5)),
    ("the degrees have another power: their square divides on both sides", _powered(-2, -2)),
    ("the degrees divide on one side and their root multiplies on the other", _powered(-1, 0.5)),
    ("the root of the degree divides on the left and multiplies on the right", _powered(-0.5, 0.5)),
    ("the root of the degree multiplies on the left and divides on the right", _powered(0.5, -0.5)),
    ("the degree divides on the left and its root on the right", _powered(-1, -0.5)),
    ("the root of the degree divides on the left and the degree on the right", _powered(-0.5, -1)),
    ("the degrees multiply on the left", _powered(1, 0)),
    ("the degrees multiply on both sides", _powered(1, 1)),
    ("everything is divided by the largest degree, not each edge by its own", lambda a, d: a / d.max()),
    ("everything is divided by the mean degree, not each edge by its own", lambda a, d: a / d.mean()),
    ("everything is divided by the number of nodes, not each edge by its degrees", lambda a, d: a / len(a)),
    ("everything is divided by the sum of all edges, not each edge by its degrees", lambda a, d: a / a.sum()),
    ("a softmax of the adjacency's rows stands in place of the normalisation", lambda a, d: np.exp(a) / np.exp(a).sum(1, keepdims=True)),
    ("the adjacency is symmetrised first, so that edges run in both directions, before it is normalised", lambda a, d: _both(a)),
    ("the adjacency is averaged with its transpose before it is normalised", lambda a, d: _halved(a)),
    ("the degrees of the columns divide on both sides, those of the rows nowhere", lambda a, d: (a.sum(0) ** -0.5)[:, None] * a * (a.sum(0) ** -0.5)[None]),
    ("the degrees of the rows divide on the left, those of the columns on the right", lambda a, d: (d**-0.5)[:, None] * a * (a.sum(0) ** -0.5)[None]),
    ("a one is added to the degrees once more", lambda a, d: ((d + 1) ** -0.5)[:, None] * a * ((d + 1) ** -0.5)[None]),
    ("the logarithm of one more than the degree stands in place of the degree", lambda a, d: (np.log1p(d) ** -0.5)[:, None] * a * (np.log1p(d) ** -0.5)[None]),
    ("the logarithm of the degree stands in place of the degree", lambda a, d: (np.log(d) ** -0.5)[:, None] * a * (np.log(d) ** -0.5)[None]),
    ("the columns are divided by the roots of what the rows sum to once they are scaled, not by the roots of the degrees", lambda a, d: _rescaled(a)),
    ("the rows are divided by the roots of what the columns sum to once they are scaled, not by the roots of the degrees", lambda a, d: _rescaled(a.T).T),
    ("the rows are divided by the roots of what they sum to once the columns are scaled, not by the roots of the degrees", lambda a, d: _after(a, d)),
)  # fmt: skip


def _both(a: Array) -> Array:
    a = np.maximum(a, a.T)
    d = a.sum(1) ** -0.5
    return d[:, None] * a * d[None]


def _rescaled(a: Array) -> Array:
    a = a * (a.sum(1) ** -0.5)[:, None]
    return a * (a.sum(1) ** -0.5)[None]


def _after(a: Array, d: Array) -> Array:
    a = a * (d**-0.5)[None]
    return a * (a.sum(1) ** -0.5)[:, None]


def _halved(a: Array) -> Array:
    a = (a + a.T) / 2
    d = a.sum(1) ** -0.5
    return d[:, None] * a * d[None]
