"""Attention maps as SVG: a row for each layer, a column for each head; over patches, the picture too.

Written by hand, not by matplotlib: 144 maps take a fifth of a second, and the text is text.
"""

import base64
import struct
import zlib
from html import escape

import torch
from torch import Tensor

from regard.lab.book.style import BLUE, SKY
from regard.lab.look.maps import FINEST, AttentionLayer, AttentionMaps, coarse
from regard.shapes import Float

COLOURS = ("#ffffff", SKY, BLUE, "#00263d")
"From no weight, which is white, to the largest."
LEVELS = 128
"Shades of a map."
PIXELS = 240
"A map has so many to a side, at least: some viewers blur what has fewer."
WIDTH = 960
"Pixels of the figure that the maps of one layer share."
LARGEST, SMALLEST, ALONE = 300, 69, 520
"Pixels to a side of a map; of one that stands alone."
LETTER, CHARACTER = 9.5, 6.2
"Pixels that a label needs across, and a character of it along."
GAP, HEAD, NAME = 9, 44, 24
"Pixels between maps, above all of them, and above those of a layer for its name."
LONGEST = 14
"Characters of a label that are drawn."


def svg(attention: AttentionMaps) -> str:
    """A heat map for each head: rows look, columns are looked at. Colours go by the root of the weight."""
    maps = [maps_of(attention, layer) for layer in attention.layers]
    top = max(float(one.max()) for one in maps) or 1.0
    columns = len(attention.heads)
    most = ALONE if columns == len(maps) == 1 else LARGEST
    side = min(most, max(SMALLEST, WIDTH // columns - GAP))
    high = round(side * attention.grid[0] / attention.grid[1]) if attention.grid else side
    names = _labels(attention, maps[0], side)
    along = CHARACTER * max((len(one) for one in names), default=0)
    named = bool(names) or len(maps) <= 4
    thumb = 110 if attention.grid and attention.picture is not None else 0
    left = 20 + thumb + (along if names else 0 if named else 52)
    step = high + GAP + (along + 4 if names else 0) + (NAME if named else 0)
    first = HEAD + (NAME if named else 0)
    wide, tall = left + columns * (side + GAP) + 80, max(first + len(maps) * step, HEAD + 190)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{wide:g}" height="{tall:g}" '
        f'viewBox="0 0 {wide:g} {tall:g}" font-family="sans-serif" font-size="10.5" fill="#222">',
        f'<rect width="{wide:g}" height="{tall:g}" fill="#fff"/>',
    ]
    for column, head in enumerate(attention.heads):
        words = f"head {head}" if side > 90 or column == 0 else f"{head}"
        parts.append(_text(left + column * (side + GAP) + side / 2, HEAD - 12, words, "middle"))
    for place, (layer, found) in enumerate(zip(attention.layers, maps, strict=True)):
        y = first + place * step
        words = f"layer {attention.number(place)}"
        if named:
            whose = over_patches(attention, layer)
            parts.append(_text(left, y - 6, f"{words}  {layer.name}" + (whose and f": {whose}")))
        else:
            parts.append(_text(left - 6, y + high / 2 + 4, words, "end"))
        for column, one in enumerate(found):
            x = left + column * (side + GAP)
            title = f"{words}, head {attention.heads[column]}: {layer.name}"
            parts.append(_image(one / top, x, y, side, high, title))
            parts += _names(names, x, y, side, high, rows=column == 0)
    if thumb and attention.picture is not None:
        parts += _picture(attention.picture, 10, first, thumb - 10)
    parts += _scale(top, wide - 62, HEAD)
    return "\n".join([*parts, "</svg>"])


def maps_of(attention: AttentionMaps, layer: AttentionLayer) -> Float[Tensor, "h n m"]:
    """What is drawn of a layer: its matrices, or over patches what the picture's patches are given."""
    matrix = layer.matrix(attention.row).float()
    matrix = matrix[[head for head in attention.heads if head < len(matrix)]]
    cells = attention.grid[0] * attention.grid[1] if attention.grid else -1
    if attention.grid and matrix.shape[-1] == cells:  # what the patches give on average
        return matrix.mean(1).unflatten(-1, attention.grid)
    if attention.grid and matrix.shape[-1] == cells + 1:  # what the class token, the first, gives
        return matrix[:, 0, 1:].unflatten(-1, attention.grid)
    return torch.stack([coarse(one, FINEST) for one in matrix])


def over_patches(attention: AttentionMaps, layer: AttentionLayer) -> str:
    """Whose attention is drawn where a map has the patches of a picture; empty where it has rows that look.

    >>> layer = AttentionLayer("", torch.ones(1, 1, 5, 5), "")
    >>> over_patches(AttentionMaps((layer,), (), grid=(2, 2)), layer)
    'what the first token, the class token, takes from each of 2 by 2 patches'
    """
    if attention.grid is None:
        return ""
    (rows, columns), keys = attention.grid, layer.weights.shape[-1]
    whose = {
        rows * columns: "what all patches, on average, take",
        rows * columns + 1: "what the first token, the class token, takes",
    }.get(keys)
    return f"{whose} from each of {rows} by {columns} patches" if whose else ""


def printable(label: str) -> str:
    """A label on one line: what cannot be seen is written out.

    >>> printable("a\\n"), printable(" "), printable("Ġthe")
    ('a\\\\n', '␣', '␣the')
    """
    shown = label.replace("Ġ", " ").replace("▁", " ").replace("Ċ", "\n")
    shown = shown.replace("\n", "\\n").replace("\t", "\\t").replace(" ", "␣")
    shown = "".join(one if one.isprintable() else "?" for one in shown)
    return shown if len(shown) <= LONGEST else shown[: LONGEST - 1] + "…"


def _labels(attention: AttentionMaps, maps: Tensor, side: float) -> list[str]:
    """Labels that can be read at this size; none where they cannot, or where the maps are pictures."""
    rows, columns = maps.shape[1:]
    whole = attention.layers[0].matrix(attention.row).shape[-1] == columns
    if attention.grid or rows != columns or not whole or side / columns < LETTER:
        return []
    return [printable(one) for one in attention.named(columns)]


def _names(names: list[str], x: float, y: float, side: float, high: float, *, rows: bool) -> list[str]:
    """The labels of the columns below a map, and of the rows beside it."""
    parts = []
    for i, name in enumerate(names):
        at = x + (i + 0.5) * side / len(names) + 3.5
        turned = f'transform="rotate(-90 {at:g} {y + high + 5:g})" '
        parts.append(_text(at, y + high + 5, name, "end", turned))
        if rows:
            parts.append(_text(x - 5, y + (i + 0.5) * high / len(names) + 3.5, name, "end"))
    return parts


def _text(x: float, y: float, words: str, anchor: str = "start", more: str = "") -> str:
    return f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}" {more}>{escape(words)}</text>'


def _image(values: Tensor, x: float, y: float, side: float, high: float, title: str) -> str:
    """A map of numbers from 0 to 1."""
    times = -(-PIXELS // max(values.shape))
    levels = (values.clamp(0, 1).sqrt() * (LEVELS - 1)).round().to(torch.uint8)
    data = png(levels.repeat_interleave(times, 0).repeat_interleave(times, 1), palette(COLOURS))
    size = f'x="{x:g}" y="{y:g}" width="{side:g}" height="{high:g}"'
    return (
        f"<g><title>{escape(title)}</title>"
        f'<image {size} preserveAspectRatio="none" style="image-rendering:pixelated" '
        f'href="data:image/png;base64,{base64.b64encode(data).decode()}"/>'
        f'<rect {size} fill="none" stroke="#999" stroke-width="0.6"/></g>'
    )


def _picture(values: Float[Tensor, "c y x"], x: float, y: float, side: float) -> list[str]:
    """The picture that was looked at, in shades of grey."""
    grey = values.float().mean(0)
    low, high = grey.min(), grey.max()
    levels = ((grey - low) / (high - low).clamp(min=1e-12) * (LEVELS - 1)).round().to(torch.uint8)
    data = base64.b64encode(png(levels, palette(("#000000", "#ffffff")))).decode()
    tall = side * grey.shape[0] / grey.shape[1]
    size = f'x="{x:g}" y="{y:g}" width="{side:g}" height="{tall:g}"'
    image = f'<image {size} preserveAspectRatio="none" href="data:image/png;base64,{data}"/>'
    return [_text(x, y - 6, "the picture"), image]


def _scale(top: float, x: float, y: float) -> list[str]:
    """The colours, from the largest weight down to 0."""
    bar = _image(torch.linspace(1.0, 0.0, 64)[:, None].square(), x, y + 8, 12, 140, "the colours")
    ticks = [
        _text(x + 17, y + 12 + 140 * (1 - share), f"{top * share * share:.2g}")
        for share in (1, 0.75, 0.5, 0.25, 0)
    ]
    return [_text(x, y - 2, "weight"), bar, *ticks]


def palette(colours: tuple[str, ...]) -> bytes:
    """So many shades between colours, three bytes each."""
    stops = torch.tensor([[int(one[i : i + 2], 16) for i in (1, 3, 5)] for one in colours], dtype=torch.float)
    at = torch.linspace(0, len(colours) - 1, LEVELS)
    below = at.long().clamp(max=len(colours) - 2)
    share = (at - below)[:, None]
    return bytes(
        (stops[below] * (1 - share) + stops[below + 1] * share).round().to(torch.uint8).flatten().tolist()
    )


def png(levels: Tensor, colours: bytes) -> bytes:
    """A PNG of numbered colours.

    >>> png(torch.zeros(2, 3, dtype=torch.uint8), bytes(3))[:8]
    b'\\x89PNG\\r\\n\\x1a\\n'
    """
    rows, columns = levels.shape
    lines = torch.cat([torch.zeros(rows, 1, dtype=torch.uint8), levels], 1)
    head = struct.pack(">IIBBBBB", columns, rows, 8, 3, 0, 0, 0)
    body = zlib.compress(lines.contiguous().numpy().tobytes(), 6)
    chunks = ((b"IHDR", head), (b"PLTE", colours), (b"IDAT", body), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in chunks
    )
