"""Attention in steps, each of which a mistake may replace."""

from types import SimpleNamespace
from typing import Any

import numpy as np

from regard.checker.contract import Case, Steps, WeightMap

Array = np.ndarray


def softmax(scores: Array, axis: int | tuple[int, ...] = -1) -> Array:
    """Exponentials that sum to one along an axis; a row of minus infinities is not a number."""
    with np.errstate(invalid="ignore", over="ignore"):
        raised = np.exp(scores - scores.max(axis=axis, keepdims=True))
        return raised / raised.sum(axis=axis, keepdims=True)


def project(q: Array, k: Array, v: Array, w: WeightMap) -> tuple[Array, Array, Array]:
    """Queries, keys and values from their sources."""
    return q @ w["wq"] + w["bq"], k @ w["wk"] + w["bk"], v @ w["wv"] + w["bv"]


def split(x: Array, heads: int) -> Array:
    """(b, n, h·d) to (b, h, n, d): heads are neighbouring channels."""
    b, n, c = x.shape
    return x.reshape(b, n, heads, c // heads).transpose(0, 2, 1, 3)


def merge(y: Array) -> Array:
    """(b, h, n, d) back to (b, n, h·d)."""
    b, h, n, d = y.shape
    return y.transpose(0, 2, 1, 3).reshape(b, n, h * d)


def share(k: Array, v: Array, group: int) -> tuple[Array, Array]:
    """Each key and value head once for every query head of its group, one group after the other."""
    return np.repeat(k, group, axis=1), np.repeat(v, group, axis=1)


def dot(q: Array, k: Array) -> Array:
    """The product of every query with every key."""
    return q @ k.swapaxes(-1, -2)


def hide(scores: Array, seen: Array) -> Array:
    """Scores that must not count become minus infinity."""
    return np.where(seen, scores, -np.inf)


def leave(y: Array, x: Array, w: WeightMap) -> Array:
    """The output projection."""
    return y @ w["wo"] + w["bo"]


PLAIN: Steps = {
    "turn": lambda x: x,
    "enter": lambda q, k, v, w: (q, k, v),
    "place": lambda q, k: (q, k),
    "after": lambda y, case: y,
    "project": project,
    "heads": lambda heads: heads,
    "split": split,
    "share": share,
    "similarity": dot,
    "scale": lambda size: size.d**-0.5,
    "see": lambda seen, size: seen,
    "unasked": lambda seen, size: seen,
    "hide": hide,
    "normalise": softmax,
    "keep": lambda weights, seen, size: weights,
    "mix": lambda weights, v: weights @ v,
    "merge": merge,
    "leave": leave,
}


def core(q: Array, k: Array, v: Array, seen: Array | None, do: Steps, size: Any) -> tuple[Array, Array]:
    """Similarity, scale, mask, softmax, sum: what all attention shares; without a mask everything is seen."""
    with np.errstate(all="ignore"):
        scores = do["similarity"](q, k) * do["scale"](size)
        seen = np.ones(scores.shape, bool) if seen is None else do["see"](seen, size)
        seen = np.broadcast_to(do["unasked"](seen, size), scores.shape)
        weights = do["normalise"](do["hide"](scores, seen))
        weights = do["keep"](weights, seen, size)
        return do["mix"](weights, v), weights


def layer(case: Case, frame: WeightMap, steps: Steps) -> tuple[Array, Array]:
    """Multi-head attention of x, or of query, key and value; the mask is that of the case, or the past."""
    do = {**PLAIN, **steps}
    x = do["turn"](case["query"])
    key, value = do["turn"](case["key"]), do["turn"](case["value"])
    heads = do["heads"](frame.facts["heads"])
    seen = np.tril(np.ones((x.shape[1], key.shape[1]), bool)) if frame.facts["causal"] else shown(case)
    q, k, v = do["project"](*do["enter"](x, key, value, frame), frame)
    fewer = key_heads(q, k, heads)
    q, k, v = do["split"](q, heads), do["split"](k, fewer), do["split"](v, fewer)
    if fewer < heads:
        k, v = do["share"](k, v, heads // fewer)
    q, k = do["place"](q, k)
    size = sizes(q, k, v)
    y, weights = core(q, k, v, seen, do, size)
    with np.errstate(all="ignore"):
        return do["turn"](do["after"](do["leave"](do["merge"](y), x, frame), case)), weights


def key_heads(q: Array, k: Array, heads: int) -> int:
    """How many heads the keys have, a head being as wide as one of the queries; a divisor of the queries' heads.

    >>> key_heads(np.zeros((2, 7, 24)), np.zeros((2, 5, 12)), 6)
    3
    """
    fewer, rest = divmod(k.shape[-1] * heads, q.shape[-1])
    if rest or not fewer or heads % fewer:
        raise ValueError(f"{k.shape[-1]} channels of keys for {heads} heads of {q.shape[-1]} channels")
    return fewer


def sizes(q: Array, k: Array, v: Array) -> SimpleNamespace:
    """The sizes by which people scale: head width, value width, heads, model width, queries, keys, samples."""
    heads = q.shape[-3] if q.ndim > 2 else 1
    batch = q.shape[0] if q.ndim > 2 else 1
    return SimpleNamespace(
        d=q.shape[-1],
        c=v.shape[-1],
        heads=heads,
        width=q.shape[-1] * heads,
        n=q.shape[-2],
        m=k.shape[-2],
        b=batch,
    )


def function(case: Case, frame: WeightMap, steps: Steps) -> tuple[Array, Array]:
    """Attention of given queries, keys and values."""
    do = PLAIN | {"give": lambda q, k, v: (q, k, v)} | steps
    q, k, v = do["give"](case["query"], case["key"], case["value"])
    return core(q, k, v, shown(case), do, sizes(q, k, v))


def shown(case: Case) -> Array | None:
    """The mask of a case that has one."""
    return case["mask"] if case.facts["masked"] else None


def output(case: Case, frame: WeightMap, steps: Steps) -> Array:
    """What the layer gives."""
    return layer(case, frame, steps)[0]


def picture(case: Case, frame: WeightMap, steps: Steps) -> Array:
    """The attention of the first head in the first sequence."""
    weights = layer(case, frame, steps)[1]
    return weights.reshape(-1, *weights.shape[-2:])[0]
