"""Weight maps: every plausible reading of an attention layer's weights, by name, shape and behaviour."""

from itertools import permutations, product
from typing import Any

import numpy as np

from regard.checker.contract import WeightMap
from regard.checker.roles import Weight, alike, heads_of, matrix, widened
from regard.checker.workbench import Unfit


def frames(
    weights: list[Weight], *, thirds: tuple[str, ...] | None, said: dict[str, str], facts: dict[str, Any]
) -> list[WeightMap]:
    """Every reading of the weights that is plausible and as the person says, the most plausible first."""
    readings = widened(_unstacked([w for w in weights if w.value.ndim >= 2]), facts)
    return [frame for own, more in readings for frame in _as_said(own, thirds, said, facts | more)]


def _as_said(
    weights: list[Weight], thirds: tuple[str, ...] | None, said: dict[str, str], facts: dict[str, Any]
) -> list[WeightMap]:
    """Every plausible reading of weights that are as wide as the layer."""
    named = {
        letter: [w for w in weights if w.name == word or w.name.startswith(f"{word}.")]
        or [w for w in weights if w.name.startswith(word)]
        for letter, word in said.items()
        if letter in ("q", "k", "v", "o")
    }
    for letter, found in named.items():
        if not found:
            names = ", ".join(w.name for w in weights)
            raise Unfit(
                "unknown-weight", f"no weight begins with '{said[letter]}'", f"the weights are {names}"
            )
    found = _plausible(weights, named, thirds, facts)
    if heard := [frame for frame in found if _heard(frame, named)]:
        return heard
    words = ", ".join(f"{letter} = {said[letter]}" for letter in named)
    names = ", ".join(f"{w.name} {w.value.shape}" for w in weights)
    raise Unfit(
        "unknown-weight",
        f"the weights cannot be read with {words} ({names})",
        "say which is which of all: --map q=NAME,k=NAME,v=NAME,o=NAME",
    )


def _unstacked(weights: list[Weight]) -> list[Weight]:
    """Four matrices that lie in one weight, (4, c, c), as four: queries, keys, values and output in some order."""
    if len(weights) != 1 or weights[0].value.ndim != 3 or len(weights[0].value) != 4:
        return weights
    (stack,) = weights
    biases = stack.bias if stack.bias is not None and len(stack.bias) == 4 else [None] * 4
    parts = zip(stack.value, biases, strict=True)
    return [Weight(f"{stack.name}[{i}]", value, stack.owner, bias) for i, (value, bias) in enumerate(parts)]


def _heard(frame: WeightMap, named: dict[str, list[Weight]]) -> bool:
    """Whether each role is played by the weight that was said; drawn weights have no number in common."""
    other = {"q": "k", "k": "q"} if "q-k-swapped" in frame.conventions else {}
    return all(
        np.isin(frame[f"w{other.get(letter, letter)}"], np.concatenate([w.value.ravel() for w in own])).all()
        for letter, own in named.items()
    )


def _plausible(
    weights: list[Weight],
    named: dict[str, list[Weight]],
    thirds: tuple[str, ...] | None,
    facts: dict[str, Any],
) -> list[WeightMap]:
    """Every reading by the names that were said, else by names, shapes and behaviour."""
    taken = [w for found in named.values() for w in found]
    free = [w for w in weights if w not in taken]
    pick = {
        letter: named.get(letter) or heads_of(free, letter)
        for letter in ("q", "k", "v", "o", "qkv", "kv", "qk")
    }
    if all(pick[letter] for letter in "qkv"):
        taken = [w for letter in "qkv" for w in pick[letter]]
        pick["o"] = pick["o"] or [w for w in weights if w not in taken][:1]
        return _separate(pick, facts)
    for alone, both in (("q", "kv"), ("v", "qk")):
        if pick[alone] and pick[both]:
            rest = [w for w in weights if w not in pick[alone] + pick[both]]
            return _pair(alone, pick[alone], pick[both], pick["o"] or rest[:1], facts, "by name")
    if paired := _paired(weights, facts):
        return paired
    if fused := _whole(weights, pick["qkv"], facts.get("width")):
        rest = [w for w in weights if w is not fused]
        out = [w for w in pick["o"] if w is not fused] or [
            w
            for w in rest
            if w.value.shape[0] == w.value.shape[1]
            or (w.value.ndim > 2 and w.value.size == (facts.get("width") or 0) ** 2)
        ]
        if fitting := _fused(fused, out[:1], thirds, facts):
            return fitting
    found = _by_shape(weights, facts)
    told = not {"q", "k"}.isdisjoint(named) and not facts.get("cross")
    return [*found, *(_swapped(frame) for frame in found if told and _even(frame))]


def _whole(weights: list[Weight], named: list[Weight], width: int | None) -> Weight | None:
    """The weight that holds q, k and v: by name; as large as three of the input's width; the larger of two."""
    sides = [(sorted((w.value.shape[0], w.value.shape[-1])), w) for w in weights]
    found = named or [
        w
        for (less, more), w in sides
        if (more == 3 * less and width in (less, None))
        or (width and w.value.ndim > 2 and w.value.size == 3 * width**2)
    ]
    if not found and len(weights) == 2 and weights[0].value.size != weights[1].value.size:
        found = [max(weights, key=lambda w: w.value.size)]
    return found[0] if found else None


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
    if len(weights) > 1 and len(alike(weights)) == 1:
        # One matrix for each head: what the heads write adds up.
        own = inner // len(weights)
        value = np.concatenate([matrix(w, own, flip=flip) for w in weights])
        return {
            "wo": value,
            "bo": sum((w.bias for w in weights if w.bias is not None), np.zeros(value.shape[1])),
        }
    weight = weights[0]
    plain = weight.value.ndim == 2 or weight.value.shape[-1] == 1
    value = matrix(weight, inner, flip=flip) if plain else _flat(weight.value, inner)
    return {"wo": value, "bo": np.zeros(value.shape[1]) if weight.bias is None else weight.bias.reshape(-1)}


def _flat(value: np.ndarray, inner: int) -> np.ndarray:
    """An output projection with an axis for the heads, (h, d, c), (h, c, d) or (c, h, d), as (in, out)."""
    if value.ndim == 3 and len(value) > 1 and len(value) * value.shape[-1] == inner:
        return value.swapaxes(1, 2).reshape(inner, -1)
    last = value.reshape(-1, value.shape[-1])
    return last if len(last) == inner or value[0].size != inner else value.reshape(-1, inner).T


def _frame(
    parts: dict[str, tuple[np.ndarray, np.ndarray]],
    out: dict[str, np.ndarray],
    facts: dict,
    conventions: tuple = (),
    notes: tuple = (),
) -> WeightMap:
    weights = {
        f"{kind}{letter}": value
        for letter, pair in parts.items()
        for kind, value in zip("wb", pair, strict=True)
    }
    # Drawn weights are never the identity: it stands for a projection that is not there.
    bare = np.array_equal(out["wo"], np.eye(len(out["wo"])))
    own = (*conventions, "no-out-projection") if bare else conventions
    return WeightMap(weights=weights | out, facts=facts, conventions=own, notes=notes)


def _separate(pick: dict[str, list[Weight]], facts: dict[str, Any]) -> list[WeightMap]:
    width = facts.get("width")
    names = {letter: ", ".join(w.name for w in pick[letter]) for letter in "qkvo" if pick[letter]}
    notes = (", ".join(f"{letter} = {name}" for letter, name in names.items()) + " (by name)",)
    found = []
    for flip in _ways([w for letter in "qkvo" for w in pick[letter]]):
        parts = {letter: _join(pick[letter], width, flip=flip) for letter in "qkv"}
        found.append(_frame(parts, _out(pick["o"], parts["v"][0].shape[1], flip=flip), facts, notes=notes))
    return [*found, *(_swapped(frame) for frame in found if not facts.get("cross") and _even(frame))]


def _even(frame: WeightMap) -> bool:
    """Whether there are as many channels of keys as of queries."""
    return frame["wq"].shape == frame["wk"].shape


def _swapped(frame: WeightMap) -> WeightMap:
    """The same with the names of queries and keys exchanged: the same set of functions."""
    names = {"wq": "wk", "wk": "wq", "bq": "bk", "bk": "bq"}
    weights = {names.get(name, name): value for name, value in frame.weights.items()}
    return WeightMap(
        weights=weights, facts=frame.facts, conventions=(*frame.conventions, "q-k-swapped"), notes=frame.notes
    )


def _paired(weights: list[Weight], facts: dict[str, Any]) -> list[WeightMap]:
    """One weight is twice as wide as the input, for keys and values; two others are square."""
    width = facts.get("width")
    double = [
        w for w in weights if width and w.value.ndim == 2 and sorted(w.value.shape) == [width, 2 * width]
    ]
    rest = [w for w in weights if w.value.shape == (width, width)]
    if len(double) != 1 or len(rest) != 2 or len(weights) != 3:
        return []
    return [
        frame
        for letter in "qv"
        for alone, *out in permutations(rest)
        for frame in _pair(letter, [alone], double, out, facts, "by shape")
    ]


def _pair(
    letter: str,
    alone: list[Weight],
    pairs: list[Weight],
    out: list[Weight],
    facts: dict[str, Any],
    how: str,
) -> list[WeightMap]:
    """One role has a weight of its own; the two others are the halves of another, or alternate in it head by head."""
    width, found = facts.get("width"), []
    others = tuple(other for other in "qkv" if other != letter)
    told = facts.get("halves") or others
    first, second = told if sorted(told) == sorted(others) else others
    both, bias = _join(pairs, width)
    inner, half = _join(alone, width)[0].shape[1], both.shape[1] // 2
    heads = max(half * facts["heads"] // max(inner, 1), 1)
    for layout in ("2hd", "h2d"):
        if half % heads or (layout == "h2d" and heads == 1):
            continue
        shape = {"2hd": (2, heads, -1), "h2d": (heads, 2, half // heads)}[layout]
        cut, cut_bias = (
            np.moveaxis(x.reshape(*x.shape[:-1], *shape), x.ndim - 1 + layout.index("2"), 0)
            for x in (both, bias)
        )
        parts = {letter: _join(alone, width)} | {
            other: (cut[i].reshape(len(both), half), cut_bias[i].reshape(half))
            for i, other in enumerate((first, second))
        }
        where = "the halves of" if layout == "2hd" else "head by head in"
        notes = (f"{letter} = {alone[0].name}, {first} and {second} = {where} {pairs[0].name} ({how})",)
        own = () if layout == "2hd" else ("fused-order",)
        leave = _out(out, parts["v"][0].shape[1], flip=_turned(pairs[0], width))
        found.append(_frame(parts, leave, facts, own, notes))
    return found


def _turned(weight: Weight, width: int | None) -> bool:
    """Whether a weight that is no square has its outputs first: then so has the output projection beside it."""
    return weight.value.ndim == 2 and weight.value.shape[0] != width


def _ways(weights: list[Weight]) -> tuple[bool, ...]:
    """As matrices are, and transposed, where no owner says which axis is the output."""
    free = any(w.out_first is None and w.value.ndim == 2 for w in weights)
    return (False, True) if free else (False,)


def _fused(
    weight: Weight, out: list[Weight], thirds: tuple[str, ...] | None, facts: dict[str, Any]
) -> list[WeightMap]:
    """Every way to cut a fused projection that its size allows."""
    width = facts.get("width")
    either = weight.value.ndim > 2 and weight.value.shape.count(width) > 1
    found = []
    for flip in (False, True) if either else (False,):
        found += _cut(weight, matrix(weight, width, flip=flip), out, thirds, facts)
    return found


def _cut(
    weight: Weight,
    whole: np.ndarray,
    out: list[Weight],
    thirds: tuple[str, ...] | None,
    facts: dict[str, Any],
) -> list[WeightMap]:
    inner = _out(out, whole.shape[0])["wo"].shape[0]
    if whole.shape[1] != 3 * inner and whole.shape[1] > inner and not (whole.shape[1] - inner) % 2:
        return _uneven(weight, whole, out, thirds, facts)
    if whole.shape[1] != 3 * (whole.shape[1] // 3) or (whole.shape[0] > whole.shape[1]):
        whole = whole.T
    bias = np.zeros(whole.shape[1]) if weight.bias is None else weight.bias.reshape(-1)
    heads, inner = facts["heads"], whole.shape[1] // 3
    if whole.shape[1] % (3 * heads):
        return []
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
            leave = _out(out, inner, flip=_turned(weight, facts.get("width")))
            found.append(_frame(parts, leave, facts, conventions, notes))
            if layout.index("d") < layout.index("h") and len(leave["wo"]) == inner:
                # Heads that lie within channels going in may do so coming out.
                rows = np.arange(inner).reshape(-1, heads).T.ravel()
                found.append(_frame(parts, leave | {"wo": leave["wo"][rows]}, facts, conventions, notes))
    return [*found, _swapped(found[0])] if thirds else found


def _uneven(
    weight: Weight,
    whole: np.ndarray,
    out: list[Weight],
    thirds: tuple[str, ...] | None,
    facts: dict[str, Any],
) -> list[WeightMap]:
    """A fused projection with fewer channels for keys and values than for queries: one after the other, or by group."""
    leave = _out(out, whole.shape[0])
    inner = leave["wo"].shape[0]
    bias = np.zeros(whole.shape[1]) if weight.bias is None else weight.bias.reshape(-1)
    sizes = {"q": inner, "k": (whole.shape[1] - inner) // 2, "v": (whole.shape[1] - inner) // 2}
    found = []
    for order in [thirds] if thirds else permutations("qkv"):
        ends = np.cumsum([sizes[letter] for letter in order])
        parts = {
            letter: (whole[:, end - sizes[letter] : end], bias[end - sizes[letter] : end])
            for letter, end in zip(order, ends, strict=True)
        }
        plain = thirds is not None or order == tuple("qkv")
        notes = (f"{', '.join(order)} = the parts of {weight.name}, one after the other",)
        found.append(_frame(parts, leave, facts, () if plain else ("fused-order",), notes))
    d = inner // facts["heads"]
    groups = sizes["k"] // d
    if groups and not whole.shape[1] % (groups * d):
        cut, cut_bias = whole.reshape(-1, groups, whole.shape[1] // groups), bias.reshape(groups, -1)
        parts = {
            letter: (cut[..., part].reshape(len(whole), -1), cut_bias[:, part].reshape(-1))
            for letter, part in zip(
                "qkv", (slice(0, -2 * d), slice(-2 * d, -d), slice(-d, None)), strict=True
            )
        }
        notes = (f"each group of {weight.name} holds its queries, a key and a value",)
        found.append(_frame(parts, leave, facts, ("fused-order",), notes))
    return found


def _by_shape(weights: list[Weight], facts: dict[str, Any]) -> list[WeightMap]:
    """No name helps: every assignment of the matrices to the roles, in the order of registration first."""
    groups = [[w] for w in weights] if len(weights) in (3, 4) else alike(weights)
    if len(groups) not in (3, 4):
        names = ", ".join(f"{w.name} {w.value.shape}" for w in weights) or "none"
        raise Unfit(
            "unknown-weight",
            f"no queries, keys and values among its weights ({names})",
            "say which: --map q=NAME,k=NAME,v=NAME,o=NAME",
        )
    found = []
    for flip, order in product(_ways(weights), permutations(groups)):
        try:
            parts = {
                letter: _join(own, facts.get("width"), flip=flip)
                for letter, own in zip("qkv", order[:3], strict=True)
            }
            out = _out([w for own in order[3:] for w in own], parts["v"][0].shape[1], flip=flip)
        except ValueError:
            continue
        notes = (
            ", ".join(
                f"{letter} = {', '.join(w.name for w in own)}"
                for letter, own in zip("qkvo", order, strict=False)
            )
            + " (by behaviour)",
        )
        found.append(_frame(parts, out, facts, () if order == tuple(groups) else ("by-behaviour",), notes))
    return found
