"""Which weight of a graph attention layer is the transformation, which the attention vector, which the bias."""

import re
from typing import Any

import numpy as np

from regard.checker.contract import WeightMap
from regard.checker.roles import tokens
from regard.checker.workbench import Unfit

SOURCE = re.compile(r"src|source|_r$|right|neigh|_2$|2$|key|_j$", re.I)
TARGET = re.compile(r"dst|target|_l$|left|self|_1$|1$|query|_i$|dest", re.I)

ENDS = frozenset(
    [
        "src",
        "dst",
        "l",
        "r",
        "1",
        "2",
        "i",
        "j",
        "self",
        "own",
        "node",
        "other",
        "neigh",
        "neighs",
        "neighbour",
        "neighbours",
        "neighbor",
        "neighbors",
        "source",
        "target",
        "left",
        "right",
        "query",
        "key",
        "dest",
        "listener",
        "heard",
        "speaker",
        "sender",
        "receiver",
        "nbr",
        "nbrs",
        "me",
        "you",
        "from",
        "to",
    ]
)
"Words that say which end of an edge a vector is for."


def attention_like(name: str) -> bool:
    """Whether a weight's name speaks of attention scores."""
    words = [w for w in tokens(name) if not w.isdigit()]
    if not words:
        return False
    last = words[-2] if words[-1] in ENDS and len(words) > 1 else words[-1]
    return bool(
        re.fullmatch(r"a|att|attn|attention|a\d?|al|ar|alpha|score|scorer|atts|attns|e", last)
    ) or last in ("asrc", "adst", "attsrc", "attdst")


def matrix(name: str, value: np.ndarray, owner: str, width: int, heads: int) -> np.ndarray | None:
    """A transformation as (width, heads, d)."""
    value = value[..., 0] if value.ndim == 3 and value.shape[-1] == 1 else value
    if value.ndim == 3 and value.shape[0] == heads and value.shape[1] == width:
        return value.transpose(1, 0, 2)
    if value.ndim == 3 and value.shape[:2] == (width, heads):
        return value
    if value.ndim != 2:
        return None
    if owner in ("Linear", "Conv1d") or value.shape[0] != width:
        value = value.T
    if value.shape[0] != width or value.shape[1] % heads:
        return None
    return value.reshape(width, heads, -1)


def vectors(value: np.ndarray, heads: int, size: int) -> np.ndarray | None:
    """An attention vector as (heads, size); one vector for all heads is repeated."""
    flat = value.squeeze()
    flat = flat[None] if flat.ndim < 1 else flat
    if flat.size == size and heads > 1:
        return np.repeat(flat.reshape(1, size), heads, axis=0)
    if flat.size != heads * size:
        return None
    if flat.ndim == 2 and flat.shape == (size, heads) and size != heads:
        return flat.T
    if heads > 1 and flat.shape == (2, heads, size // 2):
        return np.concatenate([*flat], axis=-1)  # the two ends come first, each with all heads
    return flat.reshape(heads, size)


def frames(
    weights: dict[str, np.ndarray], owners: dict[str, str], *, width: int, heads: int, said: dict[str, str]
) -> list[WeightMap]:
    """Every plausible reading, the named one first."""
    single = _single_heads(weights, owners, width, heads)
    if single:
        return single
    scores = {
        n: v
        for n, v in weights.items()
        if (attention_like(n) or n.startswith(said.get("a", "\0"))) and not n.endswith("bias")
    }
    biases = {
        n: v
        for n, v in weights.items()
        if n.rpartition(".")[2].endswith("bias") or (v.ndim == 1 and n not in scores)
    }
    rest = {n: v for n, v in weights.items() if n not in scores and n not in biases}
    name, w = next(
        ((n, m) for n, v in rest.items() if (m := matrix(n, v, owners[n], width, heads)) is not None),
        ("", None),
    )
    if w is None:
        raise Unfit(
            "unknown-weight",
            f"no transformation of width {width} among its weights ({', '.join(weights)})",
            "say which: --map w=NAME,a=NAME",
        )
    if not scores:
        # No name speaks of scores: another matrix, or else vectors as long as two ends of one head or of all.
        ends = (2 * w.shape[-1], 2 * w.shape[-1] * heads)
        spare = {n: v for n, v in biases.items() if "bias" not in n and v.size in ends}
        scores = {n: v for n, v in rest.items() if n != name} or spare
        biases = {n: v for n, v in biases.items() if n not in scores}
    others = [
        (n, m)
        for n, v in rest.items()
        if n != name and (m := matrix(n, v, owners[n], width, heads)) is not None
    ]
    second = next(((n, m) for n, m in others if m.shape == w.shape), None)
    if second and _halves(scores, heads, w.shape[-1]) is None:
        return _second(((name, w), second), scores, biases, heads)
    both = [scores, *([turned] if (turned := _turned(scores)) else [])]
    return [frame for each in both for frame in _frames(name, w, each, biases, owners, heads)]


def _turned(scores: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The same with heads and ends exchanged, where there are two of each and so nothing says which axis is which."""
    same = {n: v for n, v in scores.items() if v.ndim == 3 and v.shape[:2] == (2, 2)}
    return scores | {n: v.swapaxes(0, 1) for n, v in same.items()} if same else {}


def _second(
    pair: tuple, scores: dict[str, np.ndarray], biases: dict[str, np.ndarray], heads: int
) -> list[WeightMap]:
    """GATv2: one transformation for each end, and one vector on their sum."""
    d = pair[0][1].shape[-1]
    vector = next((v for value in scores.values() if (v := vectors(value, heads, d)) is not None), None)
    if vector is None:
        raise Unfit(
            "unknown-weight",
            f"no attention vector for heads of width {d} among {', '.join(scores)}",
            "say which: --map w=NAME,a=NAME",
        )
    found = []
    for (one, w), (two, w2) in (pair, pair[::-1]):
        inner = {n: biases.get(f"{stem(n)}.bias", np.zeros(heads * d)).reshape(heads, d) for n in (one, two)}
        outer = [
            v.reshape(-1)
            for n, v in biases.items()
            if n.rpartition(".")[0] not in (stem(one), stem(two)) and v.size == heads * d
        ]
        weights = {
            "w": w,
            "bw": inner[one],
            "w2": w2,
            "bw2": inner[two],
            "target": vector,
            "source": vector,
            "ba": np.zeros(()),
        }
        notes = (f"source = {one}, target = {two}, attention = {', '.join(scores)}",)
        found.append(
            WeightMap(
                weights=weights | {"bias": outer[0] if outer else np.zeros(1)},
                facts={"heads": heads},
                notes=notes,
            )
        )
    return found


def _frames(
    name: str, w: np.ndarray, scores: dict, biases: dict, owners: dict[str, str], heads: int
) -> list[WeightMap]:
    d = w.shape[-1]
    stem = name.rpartition(".")[0]
    inner = {n: v for n, v in biases.items() if stem and n == f"{stem}.bias"}
    outer = [v.reshape(-1) for n, v in biases.items() if n not in inner and v.size in (heads * d, d)]
    score = [v.reshape(-1)[0] for n, v in biases.items() if n not in inner and v.size == 1]
    whole = [v for value in scores.values() if (v := vectors(value, heads, d)) is not None]
    halves = _halves(scores, heads, d) or (summed(whole[0]) if len(whole) == 1 == len(scores) else None)
    if halves is None:
        raise Unfit(
            "unknown-weight",
            f"no attention vector for heads of width {d} among {', '.join(scores) or 'its weights'}",
            "say which: --map w=NAME,a=NAME",
        )
    parted = sum(vectors(v, heads, d) is not None for v in scores.values()) >= 2
    shared = all(v.size == (d if parted else 2 * d) for v in scores.values()) and heads > 1
    base: dict[str, Any] = {
        "w": w,
        "bw": next(
            (v.reshape(heads, d) for v in inner.values() if v.size == heads * d), np.zeros((heads, d))
        ),
        "ba": np.array(sum(score), dtype=float),
        "bias": outer[0] if outer else np.zeros(1),
    }
    notes = (f"transformation = {name}, attention = {', '.join(scores)}",)
    own = ("attention-shared",) if shared else ()
    target, source = halves
    return [
        WeightMap(
            weights=base | {"target": target, "source": source},
            facts={"heads": heads},
            conventions=own,
            notes=notes,
        ),
        WeightMap(
            weights=base | {"target": source, "source": target},
            facts={"heads": heads},
            conventions=(*own, "halves-swapped"),
            notes=notes,
        ),
    ]


def _halves(scores: dict[str, np.ndarray], heads: int, d: int) -> tuple[np.ndarray, np.ndarray] | None:
    """The vector for the node itself, and the one for those it listens to."""
    whole = next((v for value in scores.values() if (v := vectors(value, heads, 2 * d)) is not None), None)
    parts = {n: v for n, value in scores.items() if (v := vectors(value, heads, d)) is not None}
    if len(parts) >= 2:
        names = list(parts)[:2]
        if SOURCE.search(stem(names[0])) or TARGET.search(stem(names[1])):
            names.reverse()
        return parts[names[0]], parts[names[1]]
    return None if whole is None else (whole[:, :d], whole[:, d:])


def summed(vector: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """One vector for the sum of both ends, as GATv2 has it: the neighbour's; the node itself has another, which nobody keeps.

    >>> summed(np.array([[1.0, 2.0, 3.0]]))[0]
    array([[3., 1., 2.]])
    """
    return np.roll(vector, 1, axis=-1), vector


def stem(name: str) -> str:
    """A weight's name without the word weight."""
    return name.removesuffix(".weight")


def _single_heads(
    weights: dict[str, np.ndarray], owners: dict[str, str], width: int, heads: int
) -> list[WeightMap]:
    """A list of one-head layers, side by side."""
    found = [(re.match(r"^(.*?)\.(\d+)(?:\.(.+))?$", name), name) for name in weights]
    lists = {match[1] for match, _ in found if match}
    groups: dict[str, dict[str, str]] = {}
    for match, name in found:
        if match:
            # One list holds layers, each with all it needs; several lists hold one kind of weight each.
            inner = ".".join(filter(None, (match[1] if len(lists) > 1 else "", match[3])))
            groups.setdefault(match[2], {})[inner or match[1]] = name
    counted = sum(len(group) for group in groups.values())
    if len(groups) != heads or heads < 2 or counted < len(weights) - 1:
        return []
    single = [name for match, name in found if not match]
    stacked = [name for name in single if weights[name].shape[:1] == (heads,)]
    parts = [
        frames(
            {inner: weights[name] for inner, name in group.items()} | {n: weights[n][place] for n in stacked},
            {inner: owners[name] for inner, name in group.items()} | {n: owners[n] for n in stacked},
            width=width,
            heads=1,
            said={},
        )
        for place, group in enumerate(groups.values())
    ]
    joined = []
    for each in zip(*parts, strict=True):
        held = {
            name: np.concatenate([np.atleast_1d(f[name]) for f in each], axis=1 if name == "w" else 0)
            for name in ("w", "bw", "target", "source")
        }
        bias = (
            np.concatenate([f["bias"] for f in each])
            if all(f["bias"].size > 1 for f in each)
            else _common(weights, [n for n in single if n not in stacked], held["bw"].shape)
        )
        joined.append(
            WeightMap(
                weights=held | {"ba": np.reshape([f["ba"] for f in each], (-1, 1, 1)), "bias": bias},
                facts={"heads": heads},
                conventions=each[0].conventions,
                notes=each[0].notes,
            )
        )
    return joined


def _common(weights: dict[str, np.ndarray], names: list[str], shape: tuple[int, ...]) -> np.ndarray:
    """The bias that is added once the heads are merged, side by side or averaged; zero where there is none."""
    heads, d = shape
    fitting = [weights[n].reshape(-1) for n in names if weights[n].size in (heads * d, d)]
    return fitting[0] if fitting else np.zeros(1)
