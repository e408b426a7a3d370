"""Formulas as MathML, which browsers show without anything beside them."""

from dataclasses import replace
from html import escape

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

EDGES = {"lVert": "‖", "rVert": "‖", "lfloor": "⌊", "rfloor": "⌋"}
HATS = {"hat": "^", "tilde": "~", "bar": "¯"}
FONTS = {("mathbb", "E"): "𝔼", ("mathbb", "R"): "ℝ", ("mathbf", "1"): "𝟏"}
TERMS = {"-": "−", "pm": "±", "+": "+"}
LINE = 62.0  # letters
GAP = '<mspace width="1.2em"/>'


def mathml(source: str, *, display: bool = False) -> str:
    """A formula as a MathML element; on display, as one for each line that it takes.

    >>> mathml("a^2")
    '<math><msup><mi>a</mi><mn>2</mn></msup></math>'
    """
    if not display:
        return f"<math>{_shown(parse(source))}</math>"
    return "".join(f'<math display="block">{_row(line)}</math>' for line in _lines(parse(source)))


def _lines(node: Node) -> list[str]:
    """A formula in lines that fit a page: broken between relations, before their signs, and between terms."""
    items = node.items if isinstance(node, Listed) else (node,)
    made, room = [], 0.0
    for place, item in enumerate(items):
        width, comma = _width(item), _sign(",") if place < len(items) - 1 else ""
        if width > LINE and isinstance(item, Relation):
            broken = _broken(item)
            made, room = [*made, *broken[:-1], broken[-1] + comma], 0.0
        elif made and width + 3 < room:
            made[-1] += GAP + _shown(item) + comma
            room -= width + 3
        else:
            made.append(_shown(item) + comma)
            room = LINE - width
    return made


def _broken(item: Relation) -> list[str]:
    """A relation that is too wide: a new line before each sign, and in a sum where the line is full."""
    lines, room = [_shown(item.sides[0])], LINE - _width(item.sides[0])
    for place, (sign, side) in enumerate(zip(item.signs, item.sides[1:], strict=True)):
        terms = side.terms if isinstance(side, Sum) else (("", side),)
        head = _sign(RELATIONS[sign])
        if place and _width(side) > room:
            lines, room = [*lines, ""], LINE
        for before, term in terms:
            width = _width(term) + 1
            if lines[-1] and width > room:
                lines, room = [*lines, '<mspace width="2em"/>'], LINE
            lines[-1] += head + (_sign(TERMS[before]) if before else "") + _shown(term)
            head, room = "", room - width
    return lines


def _width(node: Node) -> float:
    """About how many letters wide a formula is."""
    match node:
        case Number(text):
            return len(text)
        case Symbol(name):
            return len(SIGNS.get(name, name))
        case Fraction(top, bottom):
            return max(_width(top), _width(bottom))
        case Index(base, low) | Power(base, low):
            return _width(base) + 0.6 * _width(low)
        case Big(_, _, _, body):
            return 3 + _width(body)
        case Root(body) | Group(_, body):
            return 1.5 + _width(body)
        case Matrix(rows):
            return 2 + max(sum(_width(one) + 1 for one in row) for row in rows)
        case Relation(sides):
            return sum(_width(one) + 2 for one in sides)
        case Listed(items):
            return sum(_width(one) + 1 for one in items)
        case Sum(parts) | Product(parts):
            return sum(_width(one) + (1.5 if sign else 0.3) for sign, one in parts)


def _row(*parts: str) -> str:
    return f"<mrow>{''.join(parts)}</mrow>"


def _sign(text: str) -> str:
    return f"<mo>{escape(text)}</mo>"


def _fenced(kind: str, body: Node) -> str:
    """What stands in brackets. They grow with what is tall alone: a norm's bars would double for a descender."""
    fixed = "" if _is_tall(body) else ' stretchy="false"'
    opens, closes = (f"<mo{fixed}>{escape(EDGES.get(one, one))}</mo>" for one in (kind, BRACKETS[kind]))
    return _row(opens, _shown(body), closes)


def _is_tall(node: Node) -> bool:
    """Whether a formula takes more than one line of height."""
    match node:
        case Fraction() | Big() | Matrix():
            return True
        case Index(base, script) | Power(base, script):
            return _is_tall(base) or _is_tall(script)
        case Root(body) | Group(_, body):
            return _is_tall(body)
        case Relation(sides):
            return any(_is_tall(one) for one in sides)
        case Listed(items):
            return any(_is_tall(one) for one in items)
        case Sum(parts) | Product(parts):
            return any(_is_tall(one) for _, one in parts)
        case _:
            return False


def _shown(node: Node) -> str:  # noqa: C901 - one case per kind of node
    match node:
        case Number(text):
            return f"<mn>{text}</mn>"
        case Symbol():
            return _symbol(node)
        case Power(Index(Symbol(primes=primes) as base, low), high) if primes:
            bare, both = replace(base, primes=0), _row(_sign("′" * primes), _shown(high))
            return f"<msubsup>{_shown(bare)}{_script(low)}{both}</msubsup>"
        case Index(Symbol(primes=primes) as base, low) if primes:
            bare = replace(base, primes=0)
            return f"<msubsup>{_shown(bare)}{_script(low)}{_sign('′' * primes)}</msubsup>"
        case Power(Index(base, low), high):
            return f"<msubsup>{_shown(base)}{_script(low)}{_script(high)}</msubsup>"
        case Index(base, low):
            return f"<msub>{_shown(base)}{_script(low)}</msub>"
        case Power(base, high):
            return f"<msup>{_shown(base)}{_script(high)}</msup>"
        case Fraction(top, bottom):
            return f"<mfrac>{_row(_shown(top))}{_row(_shown(bottom))}</mfrac>"
        case Root(body):
            return f"<msqrt>{_shown(body)}</msqrt>"
        case Group(kind, body):
            return _fenced(kind, body)
        case Matrix(rows):
            cells = "".join(
                "<mtr>" + "".join(f"<mtd>{_shown(one)}</mtd>" for one in row) + "</mtr>" for row in rows
            )
            return _row(_sign("("), f"<mtable>{cells}</mtable>", _sign(")"))
        case Big():
            return _big(node)
        case _:
            return _row(*_parts(node))


def _parts(node: Node) -> list[str]:
    """The parts of what stands in a line."""
    match node:
        case Product(factors):
            between = [_sign(TIMES.get(sign, "\u2062")) for sign, _ in factors]
            return [part for one, (_, factor) in zip(["", *between[1:]], factors, strict=True)
                    for part in (one, _shown(factor))]  # fmt: skip
        case Sum(terms):
            return [part for sign, one in terms
                    for part in (_sign(TERMS[sign]) if sign else "", _shown(one))]  # fmt: skip
        case Relation(sides, signs):
            rest = [part for sign, side in zip(signs, sides[1:], strict=True)
                    for part in (_sign(RELATIONS[sign]), _shown(side))]  # fmt: skip
            return [_shown(sides[0]), *rest]
        case Listed(items):
            wide = any(isinstance(one, Relation) for one in items)
            comma = _sign(",") + (GAP if wide else "")
            return [comma.join(_shown(one) for one in items)]
    raise AssertionError(node)


def _script(node: Node) -> str:
    return _row(_shown(node)) if isinstance(node, Listed | Sum | Product | Relation) else _shown(node)


def _symbol(node: Symbol) -> str:
    text = FONTS.get((node.font, node.name)) or (SIGNS | BIG).get(node.name, node.name)
    upright = ' mathvariant="normal"' if node.font in ("mathrm", "mathbf") and len(text) == 1 else ""
    shown = f"<mi{upright}>{escape(text)}</mi>"
    if node.accent:
        assert node.accent in ACCENTS
        shown = f'<mover accent="true">{shown}<mo stretchy="false">{HATS[node.accent]}</mo></mover>'
    return f"<msup>{shown}<mo>{'′' * node.primes}</mo></msup>" if node.primes else shown


def _big(node: Big) -> str:
    sign = f'<mo movablelimits="false">{BIG[node.name]}</mo>'
    below = _row(_shown(node.below))
    if node.above is None:
        head = f"<munder>{sign}{below}</munder>"
    else:
        head = f"<munderover>{sign}{below}{_row(_shown(node.above))}</munderover>"
    return _row(head, _shown(node.body))
