"""Formulas as trees, which are shown (mathml, text) and computed (value); and the words that they are made of."""

from dataclasses import dataclass
from functools import cache

NAMES = """alpha beta gamma delta epsilon zeta eta theta kappa lambda mu nu xi pi rho sigma tau phi chi psi omega
Gamma Delta Theta Lambda Sigma Phi Pi Psi Omega"""
GREEK = dict(zip(NAMES.split(), "αβγδεζηθκλμνξπρστφχψωΓΔΘΛΣΦΠΨΩ", strict=True))
SIGNS = GREEK | {
    "ell": "ℓ",
    "infty": "∞",
    "top": "⊤",
    "partial": "∂",
    "nabla": "∇",
    "dots": "…",
}
RELATIONS = {
    "=": "=", "<": "<", ">": ">", "le": "≤", "ge": "≥", "ne": "≠", "in": "∈", "to": "→",
    "coloneqq": "≔", "mid": "∣",
}  # fmt: skip
TIMES = {"cdot": "·", "times": "×", "odot": "⊙", "/": "/"}
ACCENTS = {"hat": "\u0302", "tilde": "\u0303", "bar": "\u0304"}
FONTS = ("mathrm", "mathbb", "mathbf")
FUNCTIONS = ("exp", "log", "det", "cos", "sin", "arccos", "tanh", "cosh")
BIG = {"sum": "∑", "prod": "∏", "max": "max", "min": "min"}
BRACKETS = {"(": ")", "[": "]", "{": "}", "lVert": "rVert", "|": "|", "lfloor": "rfloor"}


@dataclass(frozen=True)
class Number:
    text: str


@dataclass(frozen=True)
class Symbol:
    """A letter, a sign or a word in one font, with its accent and primes."""

    name: str
    font: str = ""
    accent: str = ""
    primes: int = 0


@dataclass(frozen=True)
class Index:
    base: "Node"
    low: "Node"


@dataclass(frozen=True)
class Power:
    base: "Node"
    high: "Node"


@dataclass(frozen=True)
class Fraction:
    top: "Node"
    bottom: "Node"


@dataclass(frozen=True)
class Root:
    body: "Node"


@dataclass(frozen=True)
class Product:
    """Factors, each with the sign before it: nothing, a dot, a cross, a slash."""

    factors: "tuple[tuple[str, Node], ...]"


@dataclass(frozen=True)
class Sum:
    """Terms, each with its sign; the first sign may be empty."""

    terms: "tuple[tuple[str, Node], ...]"


@dataclass(frozen=True)
class Group:
    """Something in brackets of the kind that opens it."""

    kind: str
    body: "Node"


@dataclass(frozen=True)
class Big:
    """A sum, product, maximum or minimum over a range."""

    name: str
    below: "Node"
    above: "Node | None"
    body: "Node"


@dataclass(frozen=True)
class Matrix:
    rows: "tuple[tuple[Node, ...], ...]"


@dataclass(frozen=True)
class Relation:
    """A chain: sides with the signs between them."""

    sides: "tuple[Node, ...]"
    signs: tuple[str, ...]


@dataclass(frozen=True)
class Listed:
    """Things parted by commas."""

    items: "tuple[Node, ...]"


Node = (
    Number
    | Symbol
    | Index
    | Power
    | Fraction
    | Root
    | Product
    | Sum
    | Group
    | Big
    | Matrix
    | Relation
    | Listed
)


@cache
def key(node: Node) -> str:
    r"""The name under which a letter, or a letter with its index, is given a value.

    >>> key(Index(Symbol("a", accent="hat"), Symbol("n")))
    'hat a_n'
    """
    match node:
        case Symbol(name, _, accent, primes):
            return f"{accent} {name}".strip() + "'" * primes
        case Index(base, low):
            return f"{key(base)}_{key(low)}"
        case Power(base, high):
            return f"{key(base)}^{key(high)}"
        case Number(text):
            return text
        case Listed(items):
            return ",".join(key(one) for one in items)
        case Sum(terms):
            return "".join(sign + key(one) for sign, one in terms)
    return "?"
