"""A figure at the size of a card (thumbnail): its first panel without letters, and what they said in words.

Letters that are scaled down with a drawing cannot be read. Here they are taken out of it: the heading or the
name of each axis with the range of its ticks, and the key with the colour of each entry, which a page then
sets in letters of its own.
"""

import html
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from xml.etree import ElementTree

from regard.lab.book.svg import inlined, is_fixed, themed

SVG, LINK = "http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"
ElementTree.register_namespace("", SVG)
ElementTree.register_namespace("xlink", LINK)
SUPER = str.maketrans("0123456789−-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁻")
MARGIN = 4.0
"Points around the panel: marks on its edge are whole."
LETTERS = re.compile(r"text_\d+|legend_\d+")
NUMBER = re.compile(r"[−\d.][^A-Za-z]*")
"What a tick says that is no word."


@dataclass(frozen=True)
class KeyEntry:
    """A line of a figure's key: how it is drawn, and what it is."""

    colour: str
    dashed: bool
    name: str


@dataclass(frozen=True)
class Thumbnail:
    """A drawing without letters, and its letters."""

    drawing: str
    above: str
    "What is drawn upwards, and its range."
    below: str
    "What is drawn to the right, and its range."
    key: list[KeyEntry]
    fixed: bool
    "Whether the drawing keeps its colours in a dark theme."


def thumbnail(svg: str, name: str) -> Thumbnail | None:
    """The first panel of a figure of matplotlib; of one that shows pictures, all of them."""
    try:
        parser = ElementTree.XMLParser(target=ElementTree.TreeBuilder(insert_comments=True))
        root = ElementTree.fromstring(svg, parser)
    except ElementTree.ParseError:
        return None
    panels = [one for one in root.iter(f"{{{SVG}}}g") if re.fullmatch(r"axes_\d+", one.get("id", ""))]
    if not panels:
        return None
    above = below = ""
    key: list[KeyEntry] = []
    if panels[0].find(f".//{{{SVG}}}image") is None:
        box = _box(panels[0])
        above, below = _named(panels[0], box[1])
        # Panels that share their colours have one key.
        key = told_apart(list(_key(panels[0])) or list(_key(root)))
        _drop(root, lambda one: one in panels[1:])
        left, top, right, bottom = box
        size = (
            f"{left - MARGIN:g} {top - MARGIN:g} {right - left + 2 * MARGIN:g} {bottom - top + 2 * MARGIN:g}"
        )
        root.set("viewBox", size)
        # Without letters a chart may be as wide as its card: nothing in it has a shape of its own.
        root.set("preserveAspectRatio", "none")
    _drop(root, lambda one: bool(LETTERS.fullmatch(one.get("id", ""))))
    _drop(root, lambda one: one.tag in (ElementTree.Comment, f"{{{SVG}}}metadata"))
    bare = ElementTree.tostring(root, encoding="unicode").replace(" />", "/>")
    return Thumbnail(inlined(bare, name), above, below, key, is_fixed(bare))


def told_apart(key: Sequence[KeyEntry]) -> list[KeyEntry]:
    """The entries of a key; those that are alike but for their marks as one, by what their names share.

    >>> [one.name for one in told_apart([KeyEntry("red", False, f"GAT, {when}") for when in ("old", "new")])]
    ['GAT']
    """
    made: list[KeyEntry] = []
    for entry in key:
        alike = [one.name for one in key if replace(one, name="") == replace(entry, name="")]
        shared = {name.rpartition(", ")[0] for name in alike}
        one_name = len(alike) > 1 and len(shared) == 1 and shared != {""}
        made.append(replace(entry, name=shared.pop()) if one_name else entry)
    return list(dict.fromkeys(made))


def _drop(root: ElementTree.Element, unwanted: Callable[[ElementTree.Element], bool]) -> None:
    for parent in list(root.iter()):
        for one in [child for child in parent if unwanted(child)]:
            parent.remove(one)


def _box(panel: ElementTree.Element) -> tuple[float, float, float, float]:
    """Left, top, right and bottom of a panel: its ground is the first thing that is drawn."""
    ground = panel.find(f".//{{{SVG}}}path")
    numbers = [
        float(one) for one in re.findall(r"-?\d+\.?\d*", "" if ground is None else ground.get("d", ""))
    ]
    across, down = numbers[::2] or [0.0], numbers[1::2] or [0.0]
    return min(across), min(down), max(across), max(down)


def _named(panel: ElementTree.Element, top: float) -> tuple[str, str]:
    """What is drawn upwards and to the right, each with the range of its ticks."""
    axes = [one for one in panel if one.get("id", "").startswith("matplotlib.axis")]
    names = [next((_said(one) for one in axis if _is_text(one)), "") for axis in axes] + ["", ""]
    ranges = [_range(axis) for axis in axes] + ["", ""]
    heading = next((_said(one) for one in panel if _is_text(one) and _height(one) < top), "")
    upwards = names[1] if re.search(r"\w\w", names[1]) else ", ".join(filter(None, (heading, names[1])))
    return ", ".join(filter(None, (upwards, ranges[1]))), ", ".join(filter(None, (names[0], ranges[0])))


def _range(axis: ElementTree.Element) -> str:
    """The first and the last tick that has a name.

    Ticks that say words, as those of categories do, are no range.
    """
    ticks = [_said(text) for tick in axis for text in tick if _is_text(text)]
    named = [one for one in ticks if one]
    return (
        f"{named[0]} to {named[-1]}" if len(named) > 1 and all(NUMBER.fullmatch(one) for one in named) else ""
    )


def _key(drawn: ElementTree.Element) -> Iterator[KeyEntry]:
    """Each entry of the keys in a part of the figure, as the mark before it is drawn."""
    for legend in (one for one in drawn.iter() if one.get("id", "").startswith("legend")):
        look = ""
        for one in legend.iter():
            if _is_text(one) and (name := _said(one)):
                yield KeyEntry(
                    themed(re.findall(r"#[0-9a-f]{6}", look or "#000000")[-1]), "dasharray" in look, name
                )
                look = ""
            elif (
                one.tag != f"{{{SVG}}}g"
                and not look
                and re.search(r"(?:stroke|fill): #", one.get("style", ""))
            ):
                look = one.get("style", "")


def _is_text(one: ElementTree.Element) -> bool:
    return one.get("id", "").startswith("text_")


def _height(text: ElementTree.Element) -> float:
    """Where a text stands; what is turned stands nowhere above the panel."""
    found = re.search(r"translate\(\S+ (\S+)\) scale", ElementTree.tostring(text, encoding="unicode"))
    return float(found[1]) if found else float("inf")


def _said(text: ElementTree.Element) -> str:
    """What a text says, as matplotlib notes beside its outlines; nothing where that is a formula."""
    notes = [one.text or "" for one in text.iter() if one.tag is ElementTree.Comment]
    said = re.sub(r"\\mathdefault\{((?:[^{}]|\{[^{}]*\})*)\}", r"\1", html.unescape(" ".join(notes))).replace(
        "$", ""
    )
    said = re.sub(r"\^\{([^{}]*)\}", lambda found: found[1].translate(SUPER), said)
    return "" if re.search(r"[\\{}]", said) else " ".join(said.split())
