"""Which weight plays which role in attention, as its name and its shape say."""

import math
import re
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

ROLES = {
    "q": {
        "q",
        "query",
        "queries",
        "wq",
        "qs",
        "qw",
        "toq",
        "toqueries",
        "toquery",
        "qproj",
        "linearq",
        "qlinear",
        "fcq",
        "wqs",
        "qry",
        "querys",
        "lq",
    },
    "k": {
        "k",
        "key",
        "keys",
        "wk",
        "ks",
        "kw",
        "tok",
        "tokeys",
        "tokey",
        "kproj",
        "lineark",
        "klinear",
        "fck",
        "wks",
        "lk",
    },
    "v": {
        "v",
        "value",
        "values",
        "wv",
        "vs",
        "vw",
        "tov",
        "tovalues",
        "tovalue",
        "vproj",
        "linearv",
        "vlinear",
        "fcv",
        "wvs",
        "val",
        "lv",
    },
    "o": {
        "o",
        "out",
        "proj",
        "wo",
        "dense",
        "fc",
        "unify",
        "output",
        "unifyheads",
        "outproj",
        "final",
        "cproj",
        "mix",
        "wout",
        "lo",
    },
}
FUSED = {"qkv", "attn", "inproj", "wqkv", "cattn", "toqkv", "kqv", "qkvproj", "proj3", "qkvs"}

PAIRED = {"kv", "tokv", "wkv", "kvproj", "keyvalue", "keyvalues", "keysvalues", "keyval"}

COUPLED = {"qk", "toqk", "wqk", "qkproj", "querykey", "kq", "querieskeys"}


FACTOR = re.compile(r"norm|(^|[._])ln|scale|gain|gamma|temperature|weight$", re.I)
"Names of what multiplies, and so is no bias."


@dataclass(frozen=True, eq=False)
class Weight:
    """A weight and, where there is one, its bias."""

    name: str
    value: np.ndarray
    owner: str
    bias: np.ndarray | None

    @property
    def out_first(self) -> bool | None:
        """Whether the first axis is the output (as in nn.Linear); None where the owner does not say."""
        if self.owner in ("Linear", "NonDynamicallyQuantizableLinear", "LazyLinear"):
            return True
        return False if self.owner == "Conv1D" else None


def gather(weights: dict[str, np.ndarray], owners: dict[str, str], learned: list[str]) -> list[Weight]:
    """Every learned matrix with the bias that belongs to it by name."""
    found = []
    for name in learned:
        value, stem = weights[name], name
        if value.ndim < 2 or "bias" in name.rpartition(".")[2]:
            continue
        for pattern, instead in (
            (r"weight(?!.*weight)", "bias"),
            (r"(^|\.)[Ww](?=_?[qkvoQKVO])", r"\1b"),
            (r"$", "_bias"),
            (r"^w", "b"),
            (r"_[wW]$", "_b"),
        ):
            stem = re.sub(pattern, instead, name, count=1)
            if stem != name and stem in weights and stem in learned:
                break
        else:
            stem = next((n for n in learned if _beside(n, name) and weights[n].ndim == 1), name)
        bias = weights[stem] if stem != name and stem in learned and stem in weights else None
        found.append(Weight(name, value, owners[name], bias))
    own = [w for w in found if not any(w.value is other.bias for other in found)]
    return _outgoing(_fitting(own, weights, learned), weights, learned)


def _beside(one: str, other: str) -> bool:
    """Whether two names are one word in two dictionaries, of weights and of biases: `p.q` and `b.q`.

    >>> _beside("b.q", "p.q"), _beside("norm.weight", "q.weight")
    (True, False)
    """
    (where, _, word), (there, _, same) = one.rpartition("."), other.rpartition(".")
    return bool(where and there) and where != there and word == same and word not in ("weight", "bias")


def _fitting(found: list[Weight], weights: dict[str, np.ndarray], learned: list[str]) -> list[Weight]:
    """A vector under any name that is as long as the longer side of one weight alone, which has no bias, is its bias."""
    taken = [id(w.bias) for w in found]
    free = [n for n in learned if weights[n].ndim == 1 and id(weights[n]) not in taken]
    for name in free:
        size = weights[name].size
        sides = [w for w in found if w.value.ndim == 2 and max(w.value.shape) == size > min(w.value.shape)]
        if len(sides) == 1 and sides[0].bias is None:
            found = [replace(w, bias=weights[name]) if w is sides[0] else w for w in found]
    return _shaped(found, weights, learned)


def _shaped(found: list[Weight], weights: dict[str, np.ndarray], learned: list[str]) -> list[Weight]:
    """What has the axes of a weight of no layer of torch but its longest, (3, h, d) beside (3, h, c, d), is its bias.

    Where there are several of one shape, they belong to as many weights in the order of both.
    """
    taken = [id(w.bias) for w in found]
    free = [weights[n] for n in learned if id(weights[n]) not in taken and not FACTOR.search(n)]
    for shape in dict.fromkeys(value.shape for value in free):
        biases = [value for value in free if value.shape == shape]
        fitting = [w for w in found if not w.out_first and w.bias is None and _less(shape, w.value.shape)]
        largest = [w for w in fitting if w.value.size == max(w.value.size for w in fitting)]
        if fitting and len(largest) == len(biases):
            own = {id(w): bias for w, bias in zip(largest, biases, strict=True)}
            found = [replace(w, bias=own.get(id(w), w.bias)) for w in found if w.value.shape != shape]
    return found


def _less(small: tuple[int, ...], large: tuple[int, ...]) -> bool:
    """Whether a shape is another without its longest axis, flat or with axes of one.

    >>> _less((3, 4, 1, 8), (3, 4, 32, 8)), _less((96,), (3, 4, 32, 8)), _less((32, 32), (3, 32, 32))
    (True, True, False)
    """
    plain = tuple(size for size in small if size != 1)
    longest = [axis for axis, size in enumerate(large) if size == max(large)]
    shorter = [large[:axis] + large[axis + 1 :] for axis in longest]
    return plain in shorter or (len(plain) == 1 and plain[0] in map(math.prod, shorter))


def _outgoing(found: list[Weight], weights: dict[str, np.ndarray], learned: list[str]) -> list[Weight]:
    """A bias that stands alone belongs to the output projection, if that has none."""
    taken = [id(w.bias) for w in found]
    alone = [
        weights[n]
        for n in learned
        if n.rpartition(".")[2] == "bias"
        and id(weights[n]) not in taken
        and not re.search(r"norm|ln", n, re.I)
    ]
    out = [w for w in found if role(w.name) == "o" and w.bias is None]
    if len(alone) != 1 or not out or alone[0].ndim != 1:
        return found
    return [replace(w, bias=alone[0]) if w is out[0] else w for w in found]


def tokens(name: str) -> list[str]:
    """The words in a weight's name, the nearest to the weight last.

    >>> tokens("heads.0.W_q.weight")
    ['heads', '0', 'w', 'q']
    """
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name)
    words = re.split(r"[._]", words.lower())
    return [word for word in words if word and word not in ("weight", "bias")]


def role(name: str) -> str | None:
    """q, k, v, o, qkv, kv or qk, as a weight's name says; None if it does not."""
    words = tokens(name)
    joined = "".join(word for word in words[-2:] if not word.isdigit())
    for word in (joined, *reversed(words)):
        if word in FUSED or (word.startswith("c") and word[1:] in FUSED):
            return "qkv"
        if word in PAIRED or word in COUPLED:
            return "kv" if word in PAIRED else "qk"
        for letter, known in ROLES.items():
            if word in known:
                return letter
    return None


def matrix(weight: Weight, width: int | None, *, flip: bool = False) -> np.ndarray:
    """A weight as (in, out), whatever its layout; `flip` takes the other layout where the owner does not say."""
    value = weight.value
    if value.ndim == 3 and value.shape[-1] == 1:
        return value[..., 0].T
    if value.ndim > 2 and width in value.shape:
        # (h, c, d) one matrix per head, (3, c, c), (c, 3, h, d): the axis of the input comes first.
        axes = [axis for axis, size in enumerate(value.shape) if size == width]
        return np.moveaxis(value, axes[-1 if flip else 0], 0).reshape(value.shape[axes[0]], -1)
    if value.ndim == 3:
        # (h, c, d) one matrix per head, or (c, h, d).
        return (
            value.transpose(1, 0, 2).reshape(value.shape[1], -1)
            if value.shape[0] < value.shape[1]
            else value.reshape(value.shape[0], -1)
        )
    if weight.out_first is not None:
        return value.T if weight.out_first else value
    if width is not None and value.shape[0] != value.shape[1]:
        return value if value.shape[0] == width else value.T
    return value.T if flip else value


def alike(weights: list[Weight]) -> list[list[Weight]]:
    """Weights whose names differ in a number alone, together: one role in a list of heads."""
    found: dict[str, list[Weight]] = {}
    for weight in weights:
        found.setdefault(re.sub(r"\d+", "#", weight.name), []).append(weight)
    return list(found.values())


def heads_of(weights: list[Weight], letter: str) -> list[Weight]:
    """All weights of one role, in the order of their number."""
    own = [w for w in weights if role(w.name) == letter]
    return sorted(own, key=lambda w: [int(word) for word in tokens(w.name) if word.isdigit()])


def widened(weights: list[Weight], facts: dict[str, Any]) -> list[tuple[list[Weight], dict[str, Any]]]:
    """The weights as those of a layer in which each head has its own, with what that says of the layer.

    Square weights of queries, keys and values that are as wide as one head stand once for every head. An output
    projection that is as narrow as one head meets the mean of the heads, or their sum.
    """
    heads = facts["heads"]
    side = (facts.get("width") or 0) // max(heads, 1)
    if heads < 2 or side < 2:
        return [(weights, {})]
    small = [w for w in weights if w.value.shape == (side, side) and role(w.name) in ("q", "k", "v")]
    if small and len(small) == len({role(w.name) for w in small}):
        return [([_for_all(w, heads) if w in small else w for w in weights], {"small": True})]
    out = [w for w in weights if w.value.shape == (side * heads, side) and role(w.name) == "o"]
    if len(out) != 1 or out[0].owner != "Linear":
        return [(weights, {})]
    tiled = np.tile(out[0].value, heads)
    ways = {"the mean of the heads": tiled / heads, "the sum of the heads": tiled}
    return [
        ([replace(w, value=value) if w is out[0] else w for w in weights], {"merged": words})
        for words, value in ways.items()
    ]


def _for_all(w: Weight, heads: int) -> Weight:
    bias = None if w.bias is None else np.tile(w.bias.reshape(-1), heads)
    return Weight(w.name, np.kron(np.eye(heads), w.value), w.owner, bias)
