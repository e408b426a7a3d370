"""Which weight is which in a graph attention layer by shapes alone, for names that say nothing (any language)."""

from collections.abc import Iterator
from itertools import permutations

import numpy as np

from regard.checker.contract import WeightMap
from regard.checker.subject import listed

Arrays = dict[str, np.ndarray]
MOST = 24
"Readings that are tried."


def shaped(weights: Arrays, owners: dict[str, str], width: int) -> list[WeightMap]:
    """Every reading that uses all weights: a transformation, one attention vector or two, biases."""
    together = listed(weights, list(weights))
    single = {n: v for n, v in weights.items() if not any(_is_of(n, group) for group in together)}
    held = {**single, **together}
    owned = owners | {group: owners[group.replace("#", "0")] for group in together}
    found: list[WeightMap] = []
    for name in held:
        for w in _transformations(held[name], owned[name], width):
            rest = {n: v for n, v in held.items() if n != name}
            found += _readings(name, w, rest)
    return sorted(found, key=lambda frame: frame.facts["odd"])[:MOST]


def _is_of(name: str, group: str) -> bool:
    start, _, end = group.partition("#")
    return name.startswith(start) and name.endswith(end) and name[len(start) : len(name) - len(end)].isdigit()


def _transformations(value: np.ndarray, owner: str, width: int) -> Iterator[np.ndarray]:
    """A weight as (width, heads, channels) in every way that its shape allows."""
    value = value.squeeze(-1) if owner == "Conv1d" else value
    if value.ndim == 3:
        for axes in ((1, 0, 2), (0, 1, 2), (2, 0, 1)):
            if value.shape[axes[0]] == width:
                yield value.transpose(axes)
    elif value.ndim == 2:
        flip = owner in ("Linear", "Conv1d")
        for matrix in (value.T,) if flip else (value, value.T):
            if len(matrix) == width:
                columns = matrix.shape[1]
                yield from (
                    matrix.reshape(width, heads, -1) for heads in range(1, columns) if columns % heads == 0
                )


def _readings(name: str, w: np.ndarray, rest: Arrays) -> Iterator[WeightMap]:
    _, heads, d = w.shape
    for names in [*((n,) for n in rest), *permutations(rest, 2)]:
        biases = _biases(name, {n: v for n, v in rest.items() if n not in names}, w)
        values = [rest[n] for n in names]
        # Two heads and two ends: nothing says which axis is which.
        odd = {"odd": any(own.endswith("bias") for own in names)}
        both = (
            [values, [values[0].swapaxes(0, 1)]]
            if values[0].shape == (2, 2, d) == (2, heads, d)
            else [values]
        )
        for ends in (_ends(each, heads, d) for each in both):
            if ends is None or biases is None:
                continue
            weights = {"w": w, "target": ends[0], "source": ends[1]} | biases
            notes = (f"transformation = {name}, attention = {', '.join(names)}",)
            yield WeightMap(weights=weights, facts={"heads": heads} | odd, notes=notes)
            if len(names) == 1:
                swapped = weights | {"target": ends[1], "source": ends[0]}
                yield WeightMap(
                    weights=swapped,
                    facts={"heads": heads} | odd,
                    conventions=("halves-swapped",),
                    notes=notes,
                )


def _ends(values: list[np.ndarray], heads: int, d: int) -> tuple[np.ndarray, np.ndarray] | None:
    """The vectors of the two ends, each (heads, channels), from one weight for both or one for each.

    >>> _ends([np.zeros((3, 4, 2))], 3, 4)[0].shape, _ends([np.zeros((4, 1))] * 2, 3, 4)[1].shape
    ((3, 4), (3, 4))
    """
    flat = [value.squeeze() for value in values]
    if len(flat) == 2:
        parts = [_laid(value, (heads, d)) for value in flat]
        return (parts[0], parts[1]) if parts[0] is not None and parts[1] is not None else None
    whole = _laid(flat[0], (heads, 2 * d))
    if whole is not None:
        return whole[:, :d], whole[:, d:]
    for order in permutations(range(3)) if flat[0].ndim == 3 else ():
        if flat[0].transpose(order).shape == (2, heads, d):
            return tuple(flat[0].transpose(order))  # type: ignore[return-value]
    return None


def _laid(value: np.ndarray, shape: tuple[int, int]) -> np.ndarray | None:
    """A vector for each head; one that serves them all is repeated."""
    if value.size == shape[0] * shape[1] and value.ndim < 3:
        return value.T if value.ndim == 2 and value.shape == shape[::-1] else value.reshape(shape)
    return np.tile(value.reshape(1, -1), (shape[0], 1)) if value.size == shape[1] and value.ndim < 2 else None


def _biases(name: str, rest: Arrays, w: np.ndarray) -> Arrays | None:
    """What is left, as biases: of the transformation, of the scores, of the output; None if anything is none of them."""
    _, heads, d = w.shape
    found = {"bw": np.zeros((heads, d)), "ba": np.zeros((heads, 1, 1)), "bias": np.zeros(1)}
    for own, value in rest.items():
        inner = own.rpartition(".")[0] == name.rpartition(".")[0] != ""
        if inner and value.size == heads * d:
            found["bw"] = value.reshape(heads, d)
        elif value.size in (1, heads):
            found["ba"] = found["ba"] + value.reshape(-1, 1, 1)
        elif value.size in (heads * d, d):
            if found["bias"].size not in (1, value.size):
                return None  # two of different lengths
            found["bias"] = found["bias"] + value.reshape(-1)
        else:
            return None
    return found
