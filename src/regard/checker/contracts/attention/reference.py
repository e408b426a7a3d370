"""Attention in steps, each of which a mistake may replace."""

from dataclasses import replace
from itertools import permutations
from types import SimpleNamespace
from typing import Any

import numpy as np

from regard.checker.contract import Case, Steps, WeightMap
from regard.checker.contracts.attention.positions import TURNS
from regard.checker.contracts.attention.similarity import BIASES, MASKS, OTHERS, SCALES
from regard.checker.contracts.attention.softmaxes import BLOCKWISE, SOFTMAXES
from regard.checker.grammar.program import Program, ProgramStep, Rewired, Value

Array = np.ndarray


def softmax(scores: Array, axis: int | tuple[int, ...] = -1) -> Array:
    """Exponentials that sum to one along an axis; a row of minus infinities is not a number."""
    with np.errstate(invalid="ignore", over="ignore"):
        raised = np.exp(scores - scores.max(axis=axis, keepdims=True))
        return raised / raised.sum(axis=axis, keepdims=True)


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
    """Scores that must not count become minus infinity; a mask of numbers is added."""
    return scores + seen if seen.dtype.kind == "f" else np.where(seen, scores, -np.inf)


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


def within(q: Array, k: Array, v: Array, x: Array) -> SimpleNamespace:
    """The same in a layer, whose width is that of its input."""
    known = sizes(q, k, v)
    known.width = x.shape[-1]
    return known


def shown(case: Case) -> Array | None:
    """The mask of a case that has one."""
    return case["mask"] if case.facts["masked"] else None


def _past(x: Array, key: Array) -> Array:
    return np.tril(np.ones((x.shape[1], key.shape[1]), bool))


TOKENS = ("samples", "tokens", "channels")
HEADS = ("samples", "heads", "tokens", "channels of a head")
SCORES = ("samples", "heads", "queries", "keys")
MATRIX = ("inputs", "outputs")


def linear(x: Array, w: Array, b: Array) -> Array:
    """A product and a bias."""
    return x @ w + b


def _projection(role: str, noun: str, source: str) -> ProgramStep:
    """The projection of one role."""
    return ProgramStep(
        f"project {role}",
        (source, f"w{role}", f"b{role}"),
        f"p{role}",
        linear,
        f"the {noun} projection",
        f"{{{source}}}, {{w{role}}} and {{b{role}}} give the {noun}s",
        look="product bias",
        instead=(
            (f"the bias of the {noun} projection is left out", lambda x, w, b: x @ w),
            (f"the bias of the {noun} projection is taken off and not added", lambda x, w, b: x @ w - b),
            (f"the bias of the {noun} projection is added twice", lambda x, w, b: x @ w + 2 * b),
            (f"the weight of the {noun} projection is applied twice", lambda x, w, b: x @ w @ w + b),
            (f"the weight of the {noun} projection is transposed", lambda x, w, b: x @ w.T + b),
            (f"the {noun} projection is left out, its bias is still added", lambda x, w, b: x + b),
        ),
    )


NAMES = {"q": "query", "k": "key", "v": "value", "o": "output"}
WEIGHTS = tuple(f"{letter}{role}" for role in NAMES for letter in "wb")
OWN = {
    f"w{r}": Value(noun=f"the weight of the {name} projection", axes=MATRIX, count="is", weight=True, role=r)
    for r, name in NAMES.items()
}
OWN |= {f"b{r}": Value(noun=f"the bias of the {name} projection", axes=("channels",), count="is", weight=True, role=r) for r, name in NAMES.items()}  # fmt: skip
LOAD = ProgramStep("load", ("w",), WEIGHTS, lambda w: tuple(w[name] for name in WEIGHTS))
IN = {
    "xq": Value(noun="the inputs of the queries", axes=TOKENS),
    "xk": Value(noun="the inputs of the keys", axes=TOKENS),
}
IN |= {"xv": Value(noun="the inputs of the values", axes=TOKENS)}

project = Program(
    ("xq", "xk", "xv", "w"),
    (LOAD, _projection("q", "query", "xq"), _projection("k", "key", "xk"), _projection("v", "value", "xv")),
    ("pq", "pk", "pv"),
    OWN | IN,
)
"Queries, keys and values from their sources."
leave = Program(
    ("y", "x", "w"),
    (LOAD, _projection("o", "output", "y")),
    ("po",),
    OWN | {"y": Value(noun="the merged heads", axes=TOKENS), "x": Value(noun="the inputs", axes=TOKENS)},
)
"The output projection."

SEE = ProgramStep(
    "see", ("seen", "size"), "shown", lambda seen, size: seen, look="mask masked", instead=MASKS
)
"What may be seen; without a mask, everything."
OPEN = ProgramStep("open", ("raw",), "shown", lambda raw: np.ones(raw.shape, bool))
CORE = (
    ProgramStep("size", ("q", "k", "v"), "size", sizes),
    ProgramStep("similarity", ("q", "k"), "raw", dot, "the product of queries and keys", "{q} are compared with {k}", look="product", instead=OTHERS),
    ProgramStep("scale", ("size",), "factor", lambda size: size.d**-0.5, look="root power product", instead=SCALES),
    ProgramStep("scaled", ("raw", "factor"), "scores", lambda raw, factor: raw * factor, look="product", instead=BIASES),
    SEE,
    ProgramStep("unasked", ("shown", "size"), "asked", lambda seen, size: seen),
    ProgramStep("allow", ("asked", "raw"), "allowed", lambda seen, raw: np.broadcast_to(seen, raw.shape)),
    ProgramStep("hide", ("scores", "allowed"), "hidden", hide, "the mask", look="mask masked"),
    ProgramStep("normalise", ("hidden",), "weights", softmax, "the softmax", look="softmax exponential", instead=SOFTMAXES),
    ProgramStep("keep", ("weights", "allowed", "size"), "kept", lambda weights, seen, size: weights),
    ProgramStep("mix", ("kept", "v"), "mixed", lambda weights, v: weights @ v, "the weighted sum", "{kept} weigh {v}", look="product",
         instead=(("the largest of the weighted values is taken, not their sum", lambda a, v: (a[..., None] * v[..., None, :, :]).max(-2)),)),
)  # fmt: skip
VALUES = {
    "factor": Value(noun="the scale of the scores"),
    "scores": Value(noun="the scores", axes=SCORES),
    "hidden": Value(noun="the masked scores", axes=SCORES),
    "weights": Value(noun="the weights", axes=SCORES),
    "kept": Value(axes=SCORES),
    "q": Value(noun="the queries", axes=HEADS),
    "k": Value(noun="the keys", axes=HEADS),
    "v": Value(noun="the values", axes=HEADS),
    "mixed": Value(noun="the weighted sums of the values", axes=HEADS),
}
INSIDE = (
    ProgramStep("turn query", ("query",), "x", lambda x: x, key="turn"),
    ProgramStep("turn key", ("key",), "xk", lambda x: x, key="turn"),
    ProgramStep("turn value", ("value",), "xv", lambda x: x, key="turn"),
    ProgramStep("heads", ("given heads",), "heads", lambda heads: heads),
    ProgramStep("visible", ("mask", "causal", "x", "xk"), "seen", lambda mask, causal, x, key: _past(x, key) if causal else mask),
    ProgramStep("enter", ("x", "xk", "xv", "w"), ("eq", "ek", "ev"), lambda q, k, v, w: (q, k, v)),
    ProgramStep("project", ("eq", "ek", "ev", "w"), ("pq", "pk", "pv"), project),
    ProgramStep("fewer", ("pq", "pk", "heads"), "fewer", key_heads),
    ProgramStep("split queries", ("pq", "heads"), "hq", split, key="split"),
    ProgramStep("split keys", ("pk", "fewer"), "hk", split, key="split"),
    ProgramStep("split values", ("pv", "fewer"), "hv", split, key="split"),
    ProgramStep("group", ("heads", "fewer"), "group", lambda heads, fewer: heads // fewer),
    ProgramStep("share", ("hk", "hv", "group"), ("sk", "v"), share),
    ProgramStep("place", ("hq", "sk"), ("q", "k"), lambda q, k: (q, k)),
    ProgramStep("size", ("q", "k", "v", "x"), "size", within),
    *CORE[1:],
    ProgramStep("merge", ("mixed",), "merged", merge),
    ProgramStep("leave", ("merged", "x", "w"), "left", leave, "the output projection", "{merged} are projected", look="out merge"),
    ProgramStep("after", ("left", "case"), "final", lambda y, case: y),
    ProgramStep("turn output", ("final",), "output", lambda y: y, key="turn"),
)  # fmt: skip
AROUND = {
    "left": Value(noun="the output", axes=TOKENS, count="is"),
    "merged": Value(noun="the merged heads", axes=TOKENS),
    "x": Value(noun="the inputs", axes=TOKENS),
    "pq": Value(noun="the queries, before they are split into heads,", axes=TOKENS),
    "pk": Value(noun="the keys, before they are split into heads,", axes=TOKENS),
    "pv": Value(noun="the values, before they are split into heads,", axes=TOKENS),
}


def _roles(q: str, k: str, v: str) -> dict[str, Any]:
    """Every projection with the weights of a role."""
    takes = {
        f"project {role}": (f"x{role}", f"w{of}", f"b{of}") for role, of in zip("qkv", (q, k, v), strict=True)
    }
    return {"project": project.replaced({name: Rewired(taken, linear) for name, taken in takes.items()})}


EXCHANGES = (
    ("q-k-projections", "the query projection makes the keys and the key projection the queries: they are exchanged", _roles("k", "q", "v")),
    ("q-v-projections", "the query projection makes the values and the value projection the queries: they are exchanged", _roles("v", "k", "q")),
    ("k-v-projections", "the key projection makes the values and the value projection the keys: they are exchanged", _roles("q", "v", "k")),
    ("one-projection", "the query projection serves queries, keys and values alike", _roles("q", "q", "q")),
    ("one-projection-k", "the key projection serves queries, keys and values alike", _roles("k", "k", "k")),
    ("one-projection-v", "the value projection serves queries, keys and values alike", _roles("v", "v", "v")),
    ("cycled-projections", "the projections are one off: keys, values and queries each use the next one's weights", _roles("k", "v", "q")),
    ("cycled-projections-back", "the projections are one off: keys, values and queries each use the previous one's weights", _roles("v", "q", "k")),
)  # fmt: skip


def _chained(role: str, source: str) -> tuple[str, str, dict[str, Any]]:
    """The projection of one role is given what that of another gave."""

    def steps(q: Array, k: Array, v: Array, w: Any) -> tuple[Array, ...]:
        given = {"q": q, "k": k, "v": v}
        given[role] = linear(given[source], w[f"w{source}"], w[f"b{source}"])
        return project(*given.values(), w)

    words = f"the {NAMES[role]} projection is applied to the projected {SEVERAL[source]}, not to the inputs"
    return f"{role}-from-projected-{source}", words, {"project": steps}


SEVERAL = {"q": "queries", "k": "keys", "v": "values"}
CHAINS = tuple(_chained(role, source) for role, source in permutations("qkv", 2))
GIVEN = ("query", "key", "value", "mask", "causal", "given heads", "w", "case")
LAYER = Program(GIVEN, INSIDE, ("output", "kept"), VALUES | AROUND, (*EXCHANGES, *CHAINS, *TURNS, *BLOCKWISE))
FUNCTION = Program(
    ("query", "key", "value", "seen"),
    (ProgramStep("give", ("query", "key", "value"), ("q", "k", "v"), lambda q, k, v: (q, k, v)), *CORE),
    ("mixed", "kept"),
    VALUES,
    BLOCKWISE,
)


def _open(program: Program) -> Program:
    """The same where there is no mask."""
    return replace(program, steps=tuple(OPEN if step is SEE else step for step in program.steps))


UNMASKED = {True: _open(LAYER), False: _open(FUNCTION)}


def layer(case: Case, frame: WeightMap, steps: Steps) -> tuple[Array, Array]:
    """Multi-head attention of x, or of query, key and value; the mask is that of the case, or the past."""
    causal = frame.facts["causal"]
    mask = None if causal else shown(case)
    program = LAYER if causal or mask is not None else UNMASKED[True]
    heads = frame.facts["heads"]
    given = (case["query"], case["key"], case["value"], mask, causal, heads, frame, case)
    return _run(program, given, steps)


def function(case: Case, frame: WeightMap, steps: Steps) -> tuple[Array, Array]:
    """Attention of given queries, keys and values."""
    mask = shown(case)
    program = FUNCTION if mask is not None else UNMASKED[False]
    return _run(program, (case["query"], case["key"], case["value"], mask), steps)


def _run(program: Program, given: tuple, steps: Steps) -> tuple[Array, Array]:
    with np.errstate(all="ignore"):
        known = program.run(dict(zip(program.takes, given, strict=True)), steps)
    return known[program.gives[0]], known[program.gives[1]]


def output(case: Case, frame: WeightMap, steps: Steps) -> Array:
    """What the layer gives."""
    return layer(case, frame, steps)[0]


def picture(case: Case, frame: WeightMap, steps: Steps) -> Array:
    """The attention of the first head in the first sequence."""
    weights = layer(case, frame, steps)[1]
    return weights.reshape(-1, *weights.shape[-2:])[0]
