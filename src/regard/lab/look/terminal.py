"""Attention maps in the terminal: what each head looks at, and the maps themselves where they fit."""

from math import isfinite

import torch
from torch import Tensor

from regard.core.watch import HOW
from regard.lab.look.figure import maps_of, over_patches, printable
from regard.lab.look.maps import AttentionMaps, coarse

OURS = "one of the ways in which attend computes"
"What stands where the word for a source of weights is that of a backend."
SHADES = " .:-=+*#%@"
"From no weight to a weight of one; every terminal has them."
MAPS = 8
"So many maps, at most, are drawn below the table."
LINES = 80
"So many lines, at most, they take together: the table above them is to stay in sight."
CELLS = 36
"Cells to a side of a map in the terminal."
MOST = 0.5
"The share of the weight at which a head is called after what it looks at."
MORE = "--layer and --head draw one here (in Python .choose(layer=0, head=0)), --out x.svg all of them"
LEGEND = (
    "a head is called after where most of its weight goes, with the percent that goes there: "
    "s to itself,\np to the one before, n to the one after, f to the first; . to no one place"
)
KEY = "maps: each row looks at the columns; from none to most of the weight: "
KEY += " ".join(2 * shade for shade in SHADES[1:])


def text(attention: AttentionMaps) -> str:
    """The table of heads; below it the maps, where there are few."""
    parts = [*attention.said, *_table(attention)]
    count = sum(len(maps_of(attention, layer)) for layer in attention.layers)
    if count > MAPS:
        parts.append(f"{count} maps; {MORE}")
        return "\n".join(parts)
    drawn, whose = [], ""
    for place, layer in enumerate(attention.layers):
        found = maps_of(attention, layer)
        heads = [head for head in attention.heads if head < layer.heads]
        before, whose = whose, over_patches(attention, layer)
        for head, one in zip(heads, found, strict=True):
            title = f"layer {attention.number(place)} head {head}  {layer.name}"
            said = [f"each map: {whose}"] if whose != before else []
            drawn.append(["", *said, title, *_map(attention, one)])
            before = whose
    fit = 1 + sum(sum(map(len, drawn[: end + 1])) <= LINES for end in range(1, count))
    parts += ["", KEY, *(line for one in drawn[:fit] for line in one)]
    if fit < count:
        parts += ["", f"{count - fit} more maps; {MORE}"]
    return "\n".join(parts)


def _table(attention: AttentionMaps) -> list[str]:
    """Layers down, heads across: a letter for what a head looks at and the share of its weight."""
    names = [f"layer {attention.number(i)}" for i in range(len(attention.layers))]
    width = max(map(len, names))
    told = "  ".join(f"{head:>4}" for head in attention.heads)
    lines = [f"{'head':>{width}}  {told}"]
    for name, layer in zip(names, attention.layers, strict=True):
        matrix = layer.matrix(attention.row).float()
        cells = [habit(matrix[head]) if head < len(matrix) else "" for head in attention.heads]
        lines.append(f"{name:<{width}}  " + "  ".join(f"{cell:>4}" for cell in cells) + f"  {layer.name}")
    sources = dict.fromkeys(f"{one.how}, {HOW.get(one.how, OURS)}" for one in attention.layers)
    return [*lines, LEGEND, f"weights: {'; '.join(sources)}"]


def habit(map: Tensor) -> str:
    """What a head looks at: a letter, and the share of the weight that goes there.

    >>> habit(torch.eye(5)), habit(torch.ones(5, 5) / 5), habit(torch.eye(6).roll(-1, 1))
    ('s100', '.', 'p100')
    """
    if not map.isfinite().all():
        return "nan"
    rows, columns = map.shape
    if rows != columns or rows < 4:
        return "."
    i = torch.arange(2, rows - 1)
    places = {"s": i, "p": i - 1, "n": i + 1, "f": torch.zeros_like(i)}
    total = map[i].sum() or torch.ones(())
    shares = {letter: float(map[i, j].sum() / total) for letter, j in places.items()}
    letter = max(shares, key=lambda one: shares[one])
    return f"{letter}{round(100 * shares[letter])}" if shares[letter] >= MOST else "."


def _map(attention: AttentionMaps, values: Tensor) -> list[str]:
    """A map in shades, two characters to a cell, each row with its label."""
    small = coarse(values, CELLS)
    top = float(small.nan_to_num(0.0, 0.0).max()) or 1.0
    levels = (small / top).sqrt() * (len(SHADES) - 1)
    step = -(-max(values.shape) // CELLS)
    named = attention.named(len(values))[::step] if attention.grid is None else [""] * len(small)
    names = [printable(one) for one in named]
    width = max(map(len, names))
    rows = [
        f"{name:>{width}} |" + "".join(2 * _shade(level) for level in row.tolist()) + "|"
        for name, row in zip(names, levels, strict=True)
    ]
    lost = "" if small.isfinite().all() else ", ?? is not a number"
    blocks = f", a row is {step} places, called after the first" if step > 1 and names[0] else ""
    return [*rows, f"{'':>{width}}  {SHADES[-1] * 2} is {top:.2g}{blocks}{lost}"]


def _shade(level: float) -> str:
    return SHADES[round(level)] if isfinite(level) else "?"
