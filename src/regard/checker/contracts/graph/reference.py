"""Graph attention and graph convolution in steps. Row i of the adjacency holds the nodes that node i listens to."""

import numpy as np

from regard.checker.contract import Case, Steps, WeightMap

Array = np.ndarray


def leaky(x: Array, slope: float = 0.2) -> Array:
    """Negative numbers shrink."""
    return np.where(x > 0, x, slope * x)


def elu(x: Array) -> Array:
    """Negative numbers flatten towards minus one."""
    return np.where(x > 0, x, np.expm1(np.minimum(x, 0)))


def over(scores: Array, count: Array, axis: int | tuple[int, ...] = -1) -> Array:
    """A softmax in which each entry counts as often as `count` says; zero where nothing counts."""
    with np.errstate(all="ignore"):
        top = np.where(count > 0, scores, -np.inf).max(axis=axis, keepdims=True)
        raised = np.where(count > 0, np.exp(scores - np.where(np.isfinite(top), top, 0.0)), 0.0) * count
        total = raised.sum(axis=axis, keepdims=True)
        return np.where(total > 0, raised / np.where(total > 0, total, 1.0), 0.0)


def listing(i: Array, j: Array) -> Array:
    """The place of an edge in a list that is not sorted by who listens, as real lists are not."""
    return (i * 5 + j * 3) % 7


def last(a: Array) -> Array:
    """Of each node's edges the one that is listed last."""
    i, j = np.arange(a.shape[-2])[:, None], np.arange(a.shape[-1])
    place = np.where(a != 0, listing(i, j) * a.shape[-1] + j, -1)
    return a * (place == place.max(-1, keepdims=True))


ATTENTION: Steps = {
    "graph": lambda a: (a > 0).astype(float),
    "transform": lambda x, w: np.einsum("nf,fhd->nhd", x, w["w"]) + w["bw"],
    "vectors": lambda target, source: (target, source),
    "score": lambda h, g, t, s, bias: (
        np.einsum("nhd,hd->hn", g, t)[:, :, None] + np.einsum("nhd,hd->hn", h, s)[:, None] + bias
    ),
    "activate": leaky,
    "bend": lambda do, *ends: do["activate"](do["score"](*ends)),
    "normalise": lambda e, a: over(e, np.broadcast_to(a, e.shape)),
    "keep": lambda alpha, a: alpha,
    "mix": lambda alpha, h, x: np.einsum("hij,jhd->ihd", alpha, h),
    "merge": lambda y: y.reshape(y.shape[0], -1),
    "finish": lambda y, w: y + w["bias"],
    "after": lambda y: y,
}


def attention(case: Case, frame: WeightMap, steps: Steps) -> tuple[Array, Array]:
    """A graph attention layer: output, and weights (h, n, n)."""
    do, x = ATTENTION | steps, case["x"]
    with np.errstate(all="ignore"):
        a = do["graph"](case["adjacency"])
        h = do["transform"](x, frame)
        # The second version has a transformation of its own for the node that listens.
        g = np.einsum("nf,fhd->nhd", x, frame["w2"]) + frame["bw2"] if "w2" in frame.weights else h
        target, source = do["vectors"](frame["target"], frame["source"])
        alpha = do["normalise"](do["bend"](do, h, g, target, source, frame["ba"]), a)
        alpha = do["keep"](alpha, a)
        y = do["finish"](do["merge"](do["mix"](alpha, h, x)), frame)
        return do["after"](y), alpha


def listening(case: Case) -> Array:
    """The nodes that are joined to anything: what happens to the others is a convention."""
    a = case["adjacency"]
    return (a != 0).any(0) | (a != 0).any(1)


def looped(a: Array) -> Array:
    """A loop at every node, once."""
    a = a.copy()
    np.fill_diagonal(a, 1.0)
    return a


def symmetric(a: Array, degree: Array) -> Array:
    """Each edge over the roots of the degrees at its two ends."""
    with np.errstate(all="ignore"):
        root = degree**-0.5
        return root[:, None] * a * root[None, :]


CONVOLUTION: Steps = {
    "graph": lambda a: a,
    "loops": looped,
    "degree": lambda a, looped: looped.sum(1),
    "normalise": symmetric,
    "transform": lambda x, w: x @ w["w"],
    "spread": lambda a, h: a @ h,
    "finish": lambda y, a, w: y + w["bias"],
    "after": lambda y: y,
}


def convolution(case: Case, frame: WeightMap, steps: Steps) -> Array:
    """A graph convolution layer."""
    do = CONVOLUTION | steps
    with np.errstate(all="ignore"):
        a = do["graph"](case["adjacency"])
        whole = do["loops"](a)
        normal = do["normalise"](whole, do["degree"](a, whole))
        return do["after"](
            do["finish"](do["spread"](normal, do["transform"](case["x"], frame)), normal, frame)
        )
