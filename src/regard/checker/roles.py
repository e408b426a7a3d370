"""Which weight plays which role in attention: by name, then by shape, then by behaviour."""

import re
from dataclasses import dataclass
from itertools import permutations
from typing import Any

import numpy as np

from regard.checker.bench import Unfit
from regard.checker.contract import Frame

ROLES = {
    "q": {
        "q",
        "query",
        "queries",
        "wq",
        "qs",
        "qw",
        "toq",
        "qproj",
        "linearq",
        "qlinear",
        "fcq",
        "wqs",
        "qry",
        "querys",
        "lq",
    },
    "k": {"k", "key", "keys", "wk", "ks", "kw", "tok", "kproj", "lineark", "klinear", "fck", "wks", "lk"},
    "v": {
        "v",
        "value",
        "values",
        "wv",
        "vs",
        "vw",
        "tov",
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
            (r"weight$", "bias"),
            (r"(^|\.)[Ww](?=_?[qkvo])", r"\1b"),
            (r"$", "_bias"),
            (r"^w", "b"),
        ):
            stem = re.sub(pattern, instead, name, count=1)
            if stem != name and stem in weights and stem in learned:
                break
        bias = weights[stem] if stem != name and stem in learned and stem in weights else None
        found.append(Weight(name, value, owners[name], bias))
    return found


def tokens(name: str) -> list[str]:
    """The words in a weight's name, the nearest to the weight last.

    >>> tokens("heads.0.W_q.weight")
    ['heads', '0', 'w', 'q']
    """
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name)
    words = re.split(r"[._]", words.lower())
    return [word for word in words if word and word not in ("weight", "bias")]


def role(name: str) -> str | None:
    """q, k, v, o, qkv or kv, as a weight's name says; None if it does not."""
    words = tokens(name)
    joined = "".join(word for word in words[-2:] if not word.isdigit())
    for word in (joined, *reversed(words)):
        if word in FUSED or (word.startswith("c") and word[1:] in FUSED):
            return "qkv"
        if word in ("kv", "tokv", "wkv", "kvproj"):
            return "kv"
        for letter, known in ROLES.items():
            if word in known:
                return letter
    return None


@dataclass(frozen=True)
class Reading:
    """Roles found, as matrices (in, out) with biases."""

    parts: dict[str, tuple[np.ndarray, np.ndarray]]
    notes: tuple[str, ...]


def matrix(weight: Weight, width: int | None, *, flip: bool = False) -> np.ndarray:
    """A weight as (in, out), whatever its layout; `flip` takes the other layout where the owner does not say."""
    value = weight.value
    if value.ndim == 3 and value.shape[-1] == 1:
        return value[..., 0].T
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


def heads_of(weights: list[Weight], letter: str) -> list[Weight]:
    """All weights of one role, in the order of their number."""
    own = [w for w in weights if role(w.name) == letter]
    return sorted(own, key=lambda w: [int(word) for word in tokens(w.name) if word.isdigit()])


def frames(
    weights: list[Weight], *, thirds: tuple[str, ...] | None, said: dict[str, str], facts: dict[str, Any]
) -> list[Frame]:
    """Every reading of the weights that is plausible, the most plausible first."""
    weights = [w for w in weights if w.value.ndim >= 2]
    named = {
        letter: [w for w in weights if w.name.startswith(word)]
        for letter, word in said.items()
        if letter in "qkvo"
    }
    for letter, found in named.items():
        if not found:
            names = ", ".join(w.name for w in weights)
            raise Unfit(
                "unknown-weight", f"no weight begins with '{said[letter]}'", f"the weights are {names}"
            )
    pick = {
        letter: named.get(letter) or heads_of(weights, letter) for letter in ("q", "k", "v", "o", "qkv", "kv")
    }
    if all(pick[letter] for letter in "qkv"):
        taken = [w for letter in "qkv" for w in pick[letter]]
        pick["o"] = pick["o"] or [w for w in weights if w not in taken][:1]
        return _separate(pick, facts)
    if pick["q"] and pick["kv"]:
        return _pair(pick, facts)
    fused = pick["qkv"] or [
        w
        for w in weights
        if 3 in (w.value.shape[0] / w.value.shape[-1], w.value.shape[-1] / w.value.shape[0])
    ]
    if fused:
        rest = [w for w in weights if w is not fused[0]]
        out = [w for w in pick["o"] if w is not fused[0]] or [
            w for w in rest if w.value.shape[0] == w.value.shape[1]
        ]
        return _fused(fused[0], out[:1], thirds, facts)
    return _by_shape(weights, facts)


def _join(weights: list[Weight], width: int | None, *, flip: bool = False) -> tuple[np.ndarray, np.ndarray]:
    whole = np.concatenate([matrix(w, width, flip=flip) for w in weights], axis=1)
    biases = [
        np.zeros(matrix(w, width, flip=flip).shape[1]) if w.bias is None else w.bias.reshape(-1)
        for w in weights
    ]
    return whole, np.concatenate(biases)


def _out(weights: list[Weight], inner: int, *, flip: bool = False) -> dict[str, np.ndarray]:
    if not weights:
        return {"wo": np.eye(inner), "bo": np.zeros(inner)}
    weight = weights[0]
    plain = weight.value.ndim == 2 or weight.value.shape[-1] == 1
    value = matrix(weight, inner, flip=flip) if plain else weight.value.reshape(-1, weight.value.shape[-1])
    return {"wo": value, "bo": np.zeros(value.shape[1]) if weight.bias is None else weight.bias.reshape(-1)}


def _frame(
    parts: dict[str, tuple[np.ndarray, np.ndarray]],
    out: dict[str, np.ndarray],
    facts: dict,
    conventions: tuple = (),
    notes: tuple = (),
) -> Frame:
    weights = {
        f"{kind}{letter}": value
        for letter, pair in parts.items()
        for kind, value in zip("wb", pair, strict=True)
    }
    return Frame(weights=weights | out, facts=facts, conventions=conventions, notes=notes)


def _separate(pick: dict[str, list[Weight]], facts: dict[str, Any]) -> list[Frame]:
    width = facts.get("width")
    names = {letter: ", ".join(w.name for w in pick[letter]) for letter in "qkvo" if pick[letter]}
    notes = (", ".join(f"{letter} = {name}" for letter, name in names.items()) + " (by name)",)
    found = []
    free = any(w.out_first is None and w.value.ndim == 2 for letter in "qkvo" for w in pick[letter])
    for flip in (False, True) if free else (False,):
        parts = {letter: _join(pick[letter], width, flip=flip) for letter in "qkv"}
        found.append(_frame(parts, _out(pick["o"], parts["v"][0].shape[1], flip=flip), facts, notes=notes))
    return [*found, *(_swapped(frame) for frame in found if not facts.get("cross"))]


def _swapped(frame: Frame) -> Frame:
    """The same with the names of queries and keys exchanged: the same set of functions."""
    names = {"wq": "wk", "wk": "wq", "bq": "bk", "bk": "bq"}
    weights = {names.get(name, name): value for name, value in frame.weights.items()}
    return Frame(
        weights=weights, facts=frame.facts, conventions=(*frame.conventions, "q-k-swapped"), notes=frame.notes
    )


def _pair(pick: dict[str, list[Weight]], facts: dict[str, Any]) -> list[Frame]:
    width = facts.get("width")
    both, bias = _join(pick["kv"], width)
    half = both.shape[1] // 2
    parts = {
        "q": _join(pick["q"], width),
        "k": (both[:, :half], bias[:half]),
        "v": (both[:, half:], bias[half:]),
    }
    notes = (f"q = {pick['q'][0].name}, k and v = the halves of {pick['kv'][0].name} (by name)",)
    return [_frame(parts, _out(pick["o"], half), facts, notes=notes)]


def _fused(
    weight: Weight, out: list[Weight], thirds: tuple[str, ...] | None, facts: dict[str, Any]
) -> list[Frame]:
    whole = matrix(weight, facts.get("width"))
    if whole.shape[1] != 3 * (whole.shape[1] // 3) or (whole.shape[0] > whole.shape[1]):
        whole = whole.T
    bias = np.zeros(whole.shape[1]) if weight.bias is None else weight.bias.reshape(-1)
    heads, inner = facts["heads"], whole.shape[1] // 3
    found = []
    orders = [tuple(order) for order in ([thirds] if thirds else permutations("qkv"))]
    for layout in ("3hd", "h3d", "3dh", "hd3", "d3h", "dh3"):
        sizes = {"3": 3, "h": heads, "d": inner // heads}
        axes = [layout.index(letter) for letter in "3hd"]
        for order in orders:
            cut = whole.reshape(-1, *(sizes[letter] for letter in layout)).transpose(
                0, *(a + 1 for a in axes)
            )
            cut_bias = bias.reshape(*(sizes[letter] for letter in layout)).transpose(*axes)
            parts = {
                letter: (cut[:, i].reshape(-1, inner), cut_bias[i].reshape(-1))
                for i, letter in enumerate(order)
            }
            told = order == tuple("qkv") or thirds is not None
            conventions = () if told and layout == "3hd" else ("fused-order",)
            how = (
                "as your assignment names them"
                if thirds
                else "by position"
                if told and layout == "3hd"
                else "by behaviour"
            )
            where = {"3hd": "thirds"}.get(
                layout, f"parts (laid out as {' '.join(layout.replace('3', 'qkv '))}".rstrip() + ")"
            )
            notes = (f"{', '.join(order)} = the {where} of {weight.name} ({how})",)
            found.append(_frame(parts, _out(out, inner), facts, conventions, notes))
    return found


def _by_shape(weights: list[Weight], facts: dict[str, Any]) -> list[Frame]:
    """No name helps: every assignment of the matrices to the roles, in the order of registration first."""
    if len(weights) not in (3, 4):
        names = ", ".join(f"{w.name} {w.value.shape}" for w in weights) or "none"
        raise Unfit(
            "unknown-weight",
            f"no queries, keys and values among its weights ({names})",
            "say which: --map q=NAME,k=NAME,v=NAME,o=NAME",
        )
    found = []
    for order in permutations(weights):
        try:
            parts = {
                letter: _join([w], facts.get("width")) for letter, w in zip("qkv", order[:3], strict=True)
            }
            out = _out(list(order[3:]), parts["v"][0].shape[1])
        except ValueError:
            continue
        notes = (
            ", ".join(f"{letter} = {w.name}" for letter, w in zip("qkvo", order, strict=False))
            + " (by behaviour)",
        )
        found.append(_frame(parts, out, facts, () if order == tuple(weights) else ("by-behaviour",), notes))
    return found
