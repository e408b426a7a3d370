"""Graph attention and graph convolution in steps. Row i of the adjacency holds the nodes that node i listens to."""

import numpy as np

from regard.checker.contract import Case, Steps, WeightMap
from regard.checker.contracts.graph.others import DEGREES, GRAPHS, MIXES, SCORES, SPREADS, WEIGHTS
from regard.checker.grammar.program import Program, ProgramStep, Rewired, Value

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


def transform(x: Array, w: WeightMap) -> Array:
    """The features of every node in every head."""
    return np.einsum("nf,fhd->nhd", x, w["w"]) + w["bw"]


def _second(x: Array, w: WeightMap, h: Array) -> Array:
    """The second version has a transformation of its own for the node that listens."""
    return np.einsum("nf,fhd->nhd", x, w["w2"]) + w["bw2"] if "w2" in w.weights else h


def _score(h: Array, g: Array, t: Array, s: Array, bias: Array) -> Array:
    return np.einsum("nhd,hd->hn", g, t)[:, :, None] + np.einsum("nhd,hd->hn", h, s)[:, None] + bias


NODES = ("nodes", "heads", "channels")
PAIRS = ("heads", "nodes that listen", "neighbours")
ATTENTION = Program(
    ("adjacency", "given", "w"),
    (
        ProgramStep("inputs", ("given",), "x", lambda x: x),
        ProgramStep("graph", ("adjacency",), "a", lambda a: (a > 0).astype(float), instead=GRAPHS),
        ProgramStep("transform", ("x", "w"), "h", transform, look="product"),
        ProgramStep("second", ("x", "w", "h"), "g", _second),
        ProgramStep("ends", ("w",), ("given target", "given source", "ba"), lambda w: (w["target"], w["source"], w["ba"])),
        ProgramStep("vectors", ("given target", "given source"), ("target", "source"), lambda target, source: (target, source)),
        ProgramStep("score", ("h", "g", "target", "source", "ba"), "raw", _score, look="product concatenate", instead=SCORES),
        ProgramStep("activate", ("raw",), "bent", leaky, "the LeakyReLU", look="leaky",
             instead=(("the LeakyReLU is upside down: positive scores shrink and negative ones stay", lambda raw: np.where(raw > 0, 0.2 * raw, raw)),)),
        ProgramStep("bend", ("bent", "h", "g", "target", "source", "ba", "steps"), "e", lambda bent, *ends: bent),
        ProgramStep("normalise", ("e", "a"), "alpha", lambda e, a: over(e, np.broadcast_to(a, e.shape)), "the softmax over the neighbours",
             look="softmax exponential", instead=WEIGHTS),
        ProgramStep("keep", ("alpha", "a"), "kept", lambda alpha, a: alpha),
        ProgramStep("mix", ("kept", "h", "x"), "mixed", lambda alpha, h, x: np.einsum("hij,jhd->ihd", alpha, h), look="product gather",
             instead=MIXES),
        ProgramStep("merge", ("mixed",), "merged", lambda y: y.reshape(y.shape[0], -1)),
        ProgramStep("finish", ("merged", "w"), "finished", lambda y, w: y + w["bias"], "the bias", look="bias product",
             instead=(("the bias is taken off and not added", lambda y, w: y - w["bias"]),
                      ("the bias multiplies and is not added", lambda y, w: y * w["bias"]),
                      ("the bias is added twice", lambda y, w: y + 2 * w["bias"]))),
        ProgramStep("after", ("finished",), "output", lambda y: y),
    ),
    ("output", "kept"),
    {
        "x": Value(noun="the inputs", axes=("nodes", "features")),
        "h": Value(noun="the transformed features", axes=NODES),
        "target": Value(noun="the attention vector of the node that listens", axes=("heads", "channels"), count="is", weight=True),
        "source": Value(noun="the attention vector of the neighbour", axes=("heads", "channels"), count="is", weight=True),
        "raw": Value(noun="the scores, before the LeakyReLU,", axes=PAIRS),
        "bent": Value(axes=PAIRS),
        "e": Value(noun="the scores", axes=PAIRS),
        "kept": Value(noun="the weights", axes=PAIRS),
        "mixed": Value(noun="the weighted sums", axes=NODES),
        "finished": Value(noun="the output", axes=("nodes", "channels"), count="is"),
    },
)  # fmt: skip


def attention(case: Case, frame: WeightMap, steps: Steps) -> tuple[Array, Array]:
    """A graph attention layer: output, and weights (h, n, n)."""
    with np.errstate(all="ignore"):
        given = {"adjacency": case["adjacency"], "given": case["x"], "w": frame, "steps": steps}
        known = ATTENTION.run(given, steps)
        return known["output"], known["kept"]


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


CONVOLUTION = Program(
    ("adjacency", "given", "w"),
    (
        ProgramStep("inputs", ("given",), "x", lambda x: x),
        ProgramStep("graph", ("adjacency",), "a", lambda a: a),
        ProgramStep("loops", ("a",), "looped", looped, look="loops"),
        ProgramStep("degree", ("a", "looped"), "degrees", lambda a, looped: looped.sum(1), look="degree"),
        ProgramStep("normalise", ("looped", "degrees"), "normal", symmetric, look="degree power", instead=DEGREES),
        ProgramStep("transform", ("x", "w"), "h", lambda x, w: x @ w["w"], look="product"),
        ProgramStep("spread", ("normal", "h"), "sums", lambda a, h: a @ h, look="product gather",
             instead=SPREADS),
        ProgramStep("finish", ("sums", "normal", "w"), "finished", lambda y, a, w: y + w["bias"], "the bias", look="bias product",
             instead=(("the bias is taken off and not added", lambda y, a, w: y - w["bias"]),
                      ("the bias multiplies and is not added", lambda y, a, w: y * w["bias"]),
                      ("the bias is added before the sum over the neighbours, so that it is spread with the features", lambda y, a, w: y + a.sum(1)[:, None] * w["bias"]),
                      ("the bias is added twice", lambda y, a, w: y + 2 * w["bias"]),
                      ("the bias is added to every message, so that it counts once for each neighbour", Rewired(("sums", "looped", "w"), lambda y, a, w: y + a.sum(1)[:, None] * w["bias"])))),
        ProgramStep("after", ("finished",), "output", lambda y: y),
    ),
    ("output",),
    {
        "x": Value(noun="the inputs", axes=("nodes", "features")),
        "a": Value(noun="the adjacency", axes=("nodes that listen", "neighbours"), count="is"),
        "looped": Value(noun="the adjacency with its loops", axes=("nodes that listen", "neighbours"), count="is"),
        "degrees": Value(noun="the degrees", axes=("nodes",)),
        "normal": Value(noun="the normalised adjacency", axes=("nodes that listen", "neighbours"), count="is"),
        "h": Value(noun="the transformed features", axes=("nodes", "channels")),
        "sums": Value(noun="the sums over the neighbours", axes=("nodes", "channels")),
        "finished": Value(noun="the output", axes=("nodes", "channels"), count="is"),
    },
)  # fmt: skip


def convolution(case: Case, frame: WeightMap, steps: Steps) -> Array:
    """A graph convolution layer."""
    with np.errstate(all="ignore"):
        given = {"adjacency": case["adjacency"], "given": case["x"], "w": frame}
        return CONVOLUTION.run(given, steps)["output"]


def normalised(case: Case, steps: Steps) -> Array:
    """The adjacency by which features are spread."""
    known = {"a": steps.get("graph", lambda a: a)(case["adjacency"])}
    with np.errstate(all="ignore"):
        for step in CONVOLUTION.steps[2:5]:
            known |= CONVOLUTION.only(step, known, steps)
    return known["normal"]
