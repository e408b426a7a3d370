r"""Reads formulas in a small part of LaTeX.

A formula is a list of chains of relations over sums of products. What is not listed here is an error: letters,
numbers, Greek letters, `_`, `^`, `'`, `\frac`, `\sqrt`, `\hat`, `\tilde`, `\bar`, `\mathrm`, `\mathbb`, `\mathbf`, `\sum`,
`\prod`, `\max`, `\min` with their ranges, brackets, norms, `pmatrix`, relations, `\coloneqq` for definitions.
"""

import re
from dataclasses import replace
from functools import cache

from regard.errors import RegardError, nearest
from regard.theory.formula import (
    ACCENTS,
    BIG,
    BRACKETS,
    FONTS,
    FUNCTIONS,
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
)

SPACES = {"left", "right", "quad"}
KNOWN = (
    *SIGNS, *RELATIONS, *TIMES, *ACCENTS, *FONTS, *FUNCTIONS, *BIG, *SPACES, "frac", "sqrt", "lVert", "rVert",
    "lfloor", "rfloor", "begin", "end", "pm",
)  # fmt: skip
TOKEN = re.compile(r"\s*(\\[A-Za-z]+|\\\\|\\[,;|]|\d+(?:\.\d+)?|.)\s*", re.DOTALL)


@cache
def parse(source: str) -> Node:
    r"""The tree of a formula.

    >>> parse("a_n^2")
    Power(base=Index(base=Symbol(name='a', ...), low=Symbol(name='n', ...)), high=Number(text='2'))
    """
    reader = _Reader(source)
    node = reader.listed()
    if reader.next:
        raise reader.error(f"'{reader.next}' where the formula should end")
    return node


SCRIPTS = {"_": Index, "^": Power}


class _Reader:
    """Reads from left to right, one method per level of the grammar."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.tokens = [token.removeprefix("\\") if len(token) > 2 else token
                       for token in TOKEN.findall(source)]  # fmt: skip
        self.tokens = [token for token in self.tokens if token not in SPACES and token not in ("\\,", "\\;")]
        commands = set(re.findall(r"\\([A-Za-z]+)", source))
        unknown = sorted(commands - set(KNOWN) - {"pmatrix"})
        if unknown:
            raise RegardError(
                "this is no command of the small LaTeX", f"'\\{unknown[0]}' in '{source}'",
                nearest(unknown[0], KNOWN, "write it with the commands that theory/reader.py lists"),
            )  # fmt: skip
        self.at = 0

    @property
    def next(self) -> str:
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def error(self, got: str) -> RegardError:
        return RegardError(
            "this formula cannot be read", f"{got}, in '{self.source}'", "see theory/reader.py"
        )

    def take(self, expected: str = "") -> str:
        token = self.next
        if not token or (expected and token != expected):
            raise self.error(f"'{token or 'the end'}' instead of '{expected or 'more'}'")
        self.at += 1
        return token

    def listed(self) -> Node:
        items = [self.relation()]
        while self.next == ",":
            self.take()
            items.append(self.relation())
        return items[0] if len(items) == 1 else Listed(tuple(items))

    def relation(self) -> Node:
        sides, signs = [self.sum()], []
        while self.next in RELATIONS:
            signs.append(self.take())
            sides.append(self.sum())
        return Relation(tuple(sides), tuple(signs)) if signs else sides[0]

    def sum(self) -> Node:
        terms = [(self.take() if self.next in ("+", "-", "pm") else "", self.product())]
        while self.next in ("+", "-", "pm"):
            terms.append((self.take(), self.product()))
        return terms[0][1] if len(terms) == 1 and not terms[0][0] else Sum(tuple(terms))

    def product(self) -> Node:
        factors = [("", self.factor())]
        while self.next in TIMES or self.opens():
            factors.append((self.take() if self.next in TIMES else "", self.factor()))
        return factors[0][1] if len(factors) == 1 else Product(tuple(factors))

    def opens(self) -> bool:
        """Whether a factor begins here; a bar that closes does not open."""
        token = self.next
        word = token in SIGNS or token in ACCENTS or token in FONTS or token in FUNCTIONS or token in BIG
        plain = (len(token) == 1 and (token.isalpha() or token in "([{")) or token[:1].isdigit()
        return bool(token) and (plain or word or token in ("frac", "sqrt", "lVert", "lfloor", "begin")
                                or (token == "|" and not self.inside))  # fmt: skip

    inside = False

    def factor(self) -> Node:
        node = self.atom()
        while self.next in ("_", "^", "'"):
            sign = self.take()
            node = self.primed(node) if sign == "'" else SCRIPTS[sign](node, self.argument())
        return node

    def primed(self, node: Node) -> Node:
        if isinstance(node, Index):
            return Index(self.primed(node.base), node.low)
        if not isinstance(node, Symbol):
            raise self.error("a prime after something that is no letter")
        return replace(node, primes=node.primes + 1)

    def argument(self) -> Node:
        """What stands in braces, or one token without."""
        if self.next != "{":
            return self.atom()
        self.take("{")
        node = self.listed()
        self.take("}")
        return node

    def atom(self) -> Node:
        token = self.take()
        if token[0].isdigit():
            return Number(token)
        if token in BRACKETS:
            return self.group(token)
        if token == "frac":
            return Fraction(self.argument(), self.argument())
        if token == "sqrt":
            return Root(self.argument())
        if token in BIG:
            return self.big(token)
        if token == "begin":
            return self.matrix()
        if token in ACCENTS:
            inner = self.argument()
            if not isinstance(inner, Symbol):
                raise self.error(f"'\\{token}' over something that is no letter")
            return replace(inner, accent=token)
        if token in FONTS:
            return Symbol(self.word(), token)
        if token in SIGNS or token in FUNCTIONS or (len(token) == 1 and token.isalpha()):
            return Symbol(token)
        raise self.error(f"'{token}' where something should begin")

    def word(self) -> str:
        self.take("{")
        letters = ""
        while self.next != "}":
            letters += self.take()
        self.take("}")
        return letters

    def group(self, kind: str) -> Node:
        before, self.inside = self.inside, kind == "|"
        body = self.listed()
        self.inside = before
        self.take(BRACKETS[kind])
        return body if kind == "{" else Group(kind, body)

    def big(self, name: str) -> Node:
        if self.next != "_":
            return Symbol(name)
        self.take("_")
        below = self.argument()
        above = None
        if self.next == "^":
            self.take()
            above = self.argument()
        return Big(name, below, above, self.product())

    def matrix(self) -> Node:
        if self.word() != "pmatrix":
            raise self.error("a table that is no 'pmatrix'")
        rows: list[list[Node]] = [[self.sum()]]
        while self.next != "end":
            if self.take() == "&":
                rows[-1].append(self.sum())
            else:
                rows.append([self.sum()])
        self.take("end")
        self.word()
        return Matrix(tuple(tuple(row) for row in rows))
