"""Formulas as Unicode, for a terminal."""

import re
from itertools import pairwise
from unicodedata import normalize

from regard.theory.formula import (
    ACCENTS,
    BIG,
    BRACKETS,
    RELATIONS,
    SIGNS,
    TIMES,
    Big,
    Fraction,
    Group,
    Index,
    Listed,
    Matrix,
    Node,
    Number,
    Power,
    Product,
    Relation,
    Root,
    Sum,
    Symbol,
)  # fmt: skip
from regard.theory.reader import parse

LOW = dict(
    zip("0123456789+-=()aehijklmnoprstuvxβγρφχ,", "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓᵦᵧᵨᵩᵪ,", strict=True)
)
HIGH = dict(
    zip(
        "0123456789+-=()abcdefghijklmnoprstuvwxyz⊤NMKTD/",
        "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻᵀᴺᴹᴷᵀᴰᐟ",
        strict=True,
    )
)
EDGES = {"lVert": "‖", "rVert": "‖", "lfloor": "⌊", "rfloor": "⌋"}
FONTS = {("mathbb", "E"): "𝔼", ("mathbb", "R"): "ℝ", ("mathbf", "1"): "𝟏"}


def plain(source: str) -> str:
    r"""A formula as one line of Unicode.

    >>> plain(r"\hat{a} = \frac{\sum_{n=1}^{N} x_n y_n}{\sum_{n=1}^{N} x_n^2}")
    'â = (∑ₙ₌₁ᴺ xₙ yₙ) / (∑ₙ₌₁ᴺ xₙ²)'
    """
    return _shown(parse(source))


def told(words: str) -> str:
    """A text without its marks: $formulas$ as Unicode, *stress* and [[experiments]] as plain words.

    >>> told("*Note.* The square $a^2$ of [[positions]]")
    'Note. The square a² of positions'
    """
    return "".join(_piece(one) for one in re.split(r"(`[^`]*`|\$\$?.+?\$\$?)", words, flags=re.DOTALL))


def _piece(text: str) -> str:
    if text.startswith("`"):
        return text
    if len(text) > 2 and text[0] == text[-1] == "$":
        return plain(text.strip("$"))
    bare = re.sub(r"\[\[([\w-]+)\]\]", r"\1", text)
    return re.sub(r"(?<!\S)\*(\w[^*]*)\*(?!\w)", r"\1", bare)


def _shown(node: Node) -> str:  # noqa: C901 - one case per kind of node
    match node:
        case Number(text):
            return text
        case Symbol():
            return _symbol(node)
        case Index(base, low):
            return _shown(base) + _script(_shown(low), LOW, "_")
        case Power(base, high):
            return _tight(base) + _script(_shown(high), HIGH, "^")
        case Fraction(top, bottom):
            return f"{_whole(top)} / {_whole(bottom)}"
        case Root(body):
            return f"√{_tight(body)}"
        case Group(kind, body):
            close = BRACKETS[kind]
            return EDGES.get(kind, kind) + _shown(body) + EDGES.get(close, close)
        case Big(name, below, above, body):
            high = "" if above is None else _script(_shown(above), HIGH, "^")
            gap = "" if name in ("sum", "prod") else " "
            return f"{BIG[name]}{_script(_shown(below), LOW, '_')}{high} {gap}{_shown(body)}".replace(
                "  ", " "
            )
        case Matrix(rows):
            return "[" + "; ".join(" ".join(_shown(one) for one in row) for row in rows) + "]"
        case Listed(items):
            return ", ".join(_shown(one) for one in items)
        case Relation(sides, signs):
            rest = [f" {RELATIONS[sign]} {_shown(side)}" for sign, side in zip(signs, sides[1:], strict=True)]
            return _shown(sides[0]) + "".join(rest)
        case Sum(terms):
            names = {"-": "−", "pm": "±", "+": "+"}
            first, *others = terms
            rest = [f" {names[sign]} {_shown(one)}" for sign, one in others]
            return names.get(first[0], "") + _shown(first[1]) + "".join(rest)
        case Product(factors):
            return _product(factors)


def _product(factors: "tuple[tuple[str, Node], ...]") -> str:
    text = _tight(factors[0][1], line=True)
    for (_, before), (sign, one) in pairwise(factors):
        called = isinstance(one, Group) and isinstance(before, Symbol | Index)
        close = called or sign == "/" or before == Symbol("partial")
        gap = TIMES.get(sign, "") if close else f" {TIMES[sign]} " if sign else " "
        text += gap + _tight(one, line=True)
    return text


def _tight(node: Node, *, line: bool = False) -> str:
    """In brackets where it would fall apart: in a line only sums and fractions, under a power anything compound."""
    loose = Sum | Fraction | Relation if line else Sum | Fraction | Relation | Product | Big
    return f"({_shown(node)})" if isinstance(node, loose) else _shown(node)


def _whole(node: Node) -> str:
    return f"({_shown(node)})" if isinstance(node, Sum | Product | Big | Fraction) else _shown(node)


def _script(text: str, table: dict[str, str], sign: str) -> str:
    tight = text.replace(" ", "").replace("−", "-")
    if all(letter in table for letter in tight):
        return "".join(table[letter] for letter in tight)
    return sign + (text if len(text) == 1 else f"({text})")


def _symbol(node: Symbol) -> str:
    text = FONTS.get((node.font, node.name)) or (SIGNS | BIG).get(node.name, node.name)
    return normalize("NFC", text + ACCENTS.get(node.accent, "")) + "′" * node.primes
