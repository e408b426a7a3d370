"""Figures in a page (SVG): compact, with ids of their own, and in colours that follow the page's theme.

Matplotlib writes fixed colours. Here those of the palette become the theme's series, and greys a mixture of
its ink and its paper. Marks that are pixels have their lightness turned in a dark theme. A drawing that
writes on coloured cells, or whose marks have many colours that mean something, is left as it was drawn, on a
white ground.
"""

import base64
import io
import re
from collections import Counter
from colorsys import rgb_to_hsv
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import Any

from regard.lab.book.style import PALETTE

TEMPLATES = Path(__file__).parent / "templates"
SERIES = {colour.lower(): f"var(--series-{place})" for place, colour in enumerate(PALETTE, 1)}
GREY = 6
"Greatest difference between the parts of a colour, of 255, that still counts as grey."
COLOUR = re.compile(r"(?<=: )#[0-9a-f]{6}\b")
COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
WHITE_TEXT = re.compile(r'text_\d+">\s*<g style="fill: #ffffff')
NUMBERS = re.compile(r'\s(?:d|x|y|x1|y1|x2|y2|points|transform)="[^"]*"')
LONG = re.compile(r"(?<![\w.])-?\d+\.\d{2,}")
SEGMENT = re.compile(r"([MLQCz])([^MLQCz]*)")
SMALL = 20.0
"Points: a path that reaches no farther is a mark, whose form needs another digit."
MARK = re.compile(r'<use href="(#[^"]+)" ([^>]*?)\s*style="([^"]*)"/>')
MANY = 3
"So many marks alike in a row share one style."
GLYPH = re.compile(r'<path id="(glyph-[^"]+)"[^>]*/>')
DENSE, COLOURS = 6000, 64
"A picture of more bytes, such as a map with a thousand dots, is kept in so many colours."
TEXT = re.compile(r'<g (?:style="[^"]*" )?transform="translate\(([-\d.]+) ([-\d.]+)\) (?:rotate|scale)')
LETTER = re.compile(r"scale\((0?\.\d+) -0?\.\d+\)")
"How far matplotlib scales the outlines of letters, which are of 100 points and drawn upside down."
PIXELS = re.compile(r'href="data:image/png;base64,([^"]+)"')
IMAGE = re.compile(r"<image(\s[^>]*>)")
OPAQUE = 255
HUES = 6
"Twelfths of the colour wheel of which marks that have so many are told apart by their colours."
NEAR, VIVID = 24, 128
"Differences of colour, of 255: what is still a colour of the palette, and what is no grey."


def is_fixed(svg: str) -> bool:
    """Whether the drawing must keep its colours: it writes on coloured cells, or its marks have many."""
    return bool(WHITE_TEXT.search(COMMENT.sub("", svg))) or _writes_on_pictures(svg) or _has_many_colours(svg)


def _has_many_colours(svg: str) -> bool:
    """Whether marks that are pixels have many colours of their own, which a turned lightness would hide."""
    pixels = (found.strip() for found in PIXELS.findall(svg.replace("base64, ", "base64,")))
    return any(len(_hues(_picture(one))) >= HUES for one in pixels)


def _hues(picture: Any) -> set[int]:
    """The twelfths of the colour wheel that the marks of a picture have, beside the palette's own colours."""
    import numpy

    cells = numpy.asarray(picture).reshape(-1, 4)
    if cells[:, 3].min() == OPAQUE:
        return set()  # a heat map, which is shown as it is
    marks = cells[cells[:, 3] > OPAQUE // 2, :3].astype(int)
    own = numpy.array([[int(one[place : place + 2], 16) for place in (1, 3, 5)] for one in PALETTE])
    marks = marks[(abs(marks[:, None] - own).max(-1) > NEAR).all(1) & (numpy.ptp(marks, axis=1) > VIVID)]
    hues = [int(12 * rgb_to_hsv(*(mark / OPAQUE))[0]) for mark in marks[:: len(marks) // 4000 + 1]]
    return {hue for hue, count in Counter(hues).items() if count > len(hues) / 100}


def _marked(svg: str) -> str:
    """The drawing, with a class on pictures that are marks of a dense plot.

    They let the ground through, as no heat map does.
    """

    def told(found: re.Match[str]) -> str:
        pixels = PIXELS.search(found[0])
        marks = pixels is not None and _picture(pixels[1]).getextrema()[-1][0] < OPAQUE
        return f'<image class="marks"{found[1]}' if marks else found[0]

    return IMAGE.sub(told, svg)


def _writes_on_pictures(svg: str) -> bool:
    """Whether a text begins inside an embedded picture: its colour was chosen for the picture's."""
    bare = PIXELS.sub("", svg)
    boxes = [_box(tag) for tag in re.findall(r"<image [^>]*>", bare)]
    spots = [(float(x), float(y)) for x, y in TEXT.findall(bare)]
    return any(left < x < right and top < y < bottom for x, y in spots for left, top, right, bottom in boxes)


def _box(tag: str) -> tuple[float, float, float, float]:
    """Left, top, right and bottom of an image, which matplotlib draws upside down and then moves."""
    values = {name: float(value) for name, value in re.findall(r'\b(x|y|width|height)="([-\d.]+)', tag)}
    turned = re.search(r"translate\(0,? ?([-\d.]+)\)", tag)
    left, low, high = values.get("x", 0.0), values.get("y", 0.0), values["height"]
    if turned is None:
        return left, low, left + values["width"], low + high
    bottom = -float(turned[1]) - low
    return left, bottom - high, left + values["width"], bottom


def width(svg: str) -> float:
    """The width of a drawing in points."""
    found = re.search(r'viewBox="\S+ \S+ (\S+) ', svg)
    return float(found[1]) if found else 0.0


def smallest_letter(svg: str) -> float:
    """The size of the smallest letters of a drawing in points; 0 where nothing is written."""
    return 100 * min((float(one) for one in LETTER.findall(svg)), default=0.0)


def inlined(svg: str, name: str, *, fixed: bool | None = None) -> str:
    """An SVG of matplotlib as a page takes it: compact, scaled by the page, its ids beginning with a name.

    A drawing that is fixed keeps its colours; if nobody says so, `is_fixed` does.
    """
    fixed = is_fixed(svg) if fixed is None else fixed
    svg = svg[svg.index("<svg") :] if fixed else _marked(svg[svg.index("<svg") :])
    svg = re.sub(r"<metadata>.*?</metadata>|<!--.*?-->", "", svg, flags=re.DOTALL)
    svg = re.sub(r"\s*\n\s*", " ", svg)
    svg = re.sub(r">\s+<", "><", svg)
    svg = svg.replace("xlink:href", "href").replace("base64, ", "base64,")
    svg = PIXELS.sub(lambda found: _webp(found[1]), svg)
    svg = NUMBERS.sub(lambda found: _rounded(found[0]), svg)
    svg = _named(svg, name)
    svg = _alike(svg)
    return _sized(svg if fixed else COLOUR.sub(lambda found: themed(found[0]), svg))


def as_picture(svg: str) -> str:
    """An SVG of matplotlib as a file that a page shows as a picture: its colours follow the page's theme.

    A browser gives a picture the colour scheme of the element that shows it.
    """
    if is_fixed(svg):
        return svg
    start = svg.index(">", svg.index("<svg")) + 1
    drawn = COLOUR.sub(lambda found: themed(found[0]), _marked(svg[start:]))
    return f"{svg[:start]}<style>{_colours()}</style>{drawn}"


@cache
def _colours() -> str:
    """The theme's colours, light and dark, and its greys."""
    tokens = (TEMPLATES / "tokens.css").read_text(encoding="utf-8")
    style = (TEMPLATES / "style.css").read_text(encoding="utf-8")
    return (
        tokens
        + style[style.index(":root {") : style.index("* {")]
        + "svg { fill: var(--ink); } .marks { filter: var(--marks); }"
    )


def themed(colour: str) -> str:
    """A fixed colour as one of the theme's.

    >>> themed("#0072b2"), themed("#000000"), themed("#e4e4e4"), themed("#fee838")
    ('var(--series-1)', 'var(--ink)', 'var(--grey-1)', '#fee838')
    """
    parts = [int(colour[place : place + 2], 16) for place in (1, 3, 5)]
    if max(parts) - min(parts) > GREY:
        return SERIES.get(colour, colour)
    tenth = round(10 * (1 - sum(parts) / 765))
    return {0: "var(--paper)", 10: "var(--ink)"}.get(tenth, f"var(--grey-{tenth})")


def _rounded(attribute: str) -> str:
    """Coordinates to a tenth of a point, a path's by steps; scales and turns stay as they are."""
    if attribute.startswith(" d="):
        return f' d="{_stepped(attribute[4:-1])}"'
    if attribute.startswith(" transform="):
        return re.sub(r"translate\([^)]*\)", lambda found: _short(found[0]), attribute)
    return _short(attribute)


def _short(text: str) -> str:
    """
    >>> _short("translate(12.3456 -0.01)")
    'translate(12.3 0)'
    """
    return LONG.sub(lambda found: _number(float(found[0])), text)


def _number(value: float, digits: int = 1) -> str:
    """
    >>> _number(0.5), _number(-0.04), _number(-0.25, 2), _number(3.0)
    ('.5', '0', '-.25', '3')
    """
    text = f"{value:.{digits}f}".rstrip("0").rstrip(".")
    return "0" if text in ("-0", "0") else re.sub(r"^(-?)0\.", r"\1.", text)


def _stepped(path: str) -> str:
    """A path of matplotlib, which has absolute points, by steps from point to point: a third of its length.

    >>> _stepped("M 30.04 5 L 31.3 5.52 L 32 6 z")
    'M30 5l1.3 .5l.7 .5z'
    """
    segments = [(sign, [float(one) for one in numbers.split()]) for sign, numbers in SEGMENT.findall(path)]
    largest = max((abs(value) for _, values in segments for value in values), default=0.0)
    digits = 2 if largest < SMALL else 1
    made, here = [], (0.0, 0.0)
    for sign, values in segments:
        points = [
            (round(x, digits), round(y, digits)) for x, y in zip(values[::2], values[1::2], strict=True)
        ]
        start = (0.0, 0.0) if sign == "M" else here
        steps = [_number(x - start[0], digits) + " " + _number(y - start[1], digits) for x, y in points]
        made.append((sign if sign == "M" else sign.lower()) + " ".join(steps))
        here = points[-1] if points else here
    return "".join(made)


def _named(svg: str, name: str) -> str:
    """Ids that nothing refers to go; letters get ids that all figures share; others begin with the name."""
    used = dict.fromkeys(re.findall(r'(?:href="#|url\(#)([^")]+)', svg))
    names = {
        one: f"glyph-{_letter(one)}" if _letter(one) else f"{name}-{place}" for place, one in enumerate(used)
    }

    def kept(found: re.Match[str]) -> str:
        return f' id="{names[found[1]]}"' if found[1] in names else ""

    svg = re.sub(r'\sid="([^"]+)"', kept, svg)
    return re.sub(r'(href="#|url\(#)([^")]+)', lambda found: found[1] + names.get(found[2], found[2]), svg)


def _letter(name: str) -> str:
    """The letter that an id of matplotlib stands for, as in 'film-3-0-DejaVuSans-41'; nothing for others."""
    found = re.search(r"[A-Z]\w*(?:-[A-Z]\w*)*-[0-9a-f]+$", name)
    return found[0] if found else ""


def _alike(svg: str) -> str:
    """Marks of one shape and style in a row as a group that has the style once."""
    pieces = re.split(r"(<use [^>]*/>)", svg)
    marks = [one for one in pieces if one]
    made = []
    for key, group in groupby(marks, key=_look):
        run = list(group)
        if key and len(run) >= MANY:
            shape, look = key
            inside = "".join(f'<use href="{shape}" {found[2]}/>' for one in run if (found := MARK.match(one)))
            made.append(f'<g style="{look}">{inside}</g>')
        else:
            made += run
    return "".join(made)


def _look(piece: str) -> tuple[str, str] | None:
    found = MARK.fullmatch(piece)
    return (found[1], found[3]) if found else None


def _sized(svg: str) -> str:
    """The drawing without a size of its own: it takes the width that the page gives it."""
    head = svg[: svg.index(">")]
    bare = re.sub(r'\s(?:width|height|version|xmlns|xmlns:xlink)="[^"]*"', "", head)
    return bare + svg[len(head) :]


def _webp(encoded: str) -> str:
    """An embedded picture as WebP, without loss where that is small; a dense one in few colours."""
    before, picture = base64.b64decode(encoded), _picture(encoded)
    tries = [("png", before), ("webp", _lossless(picture))]
    if len(tries[1][1]) > DENSE:
        tries.append(("webp", _lossless(picture.quantize(COLOURS).convert("RGBA"))))
    kind, data = min(tries, key=lambda one: len(one[1]))
    return f'href="data:image/{kind};base64,{base64.b64encode(data).decode()}"'


def _picture(encoded: str) -> Any:
    from PIL import Image

    return Image.open(io.BytesIO(base64.b64decode(encoded))).convert("RGBA")


def _lossless(picture: Any) -> bytes:
    made = io.BytesIO()
    picture.save(made, "WEBP", lossless=True, quality=60, method=3)
    return made.getvalue()


def share_glyphs(text: str) -> str:
    """A page in which each letter's outline stands once, in the first figure that draws it."""
    seen: set[str] = set()

    def first(found: re.Match[str]) -> str:
        if found[1] in seen:
            return ""
        seen.add(found[1])
        return found[0]

    return GLYPH.sub(first, text)
