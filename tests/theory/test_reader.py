import pytest

from regard.errors import RegardError
from regard.theory.formula import (
    Big,
    Fraction,
    Group,
    Index,
    Listed,
    Matrix,
    Number,
    Power,
    Product,
    Relation,
    Root,
    Sum,
    Symbol,
)  # fmt: skip
from regard.theory.reader import parse

A, B, N = Symbol("a"), Symbol("b"), Symbol("n")


@pytest.mark.parametrize(
    ("source", "tree"),
    [
        ("a b", Product((("", A), ("", B)))),
        (r"a \cdot b / n", Product((("", A), ("cdot", B), ("/", N)))),
        ("-a + b", Sum((("-", A), ("+", B)))),
        ("a_{n}^2", Power(Index(A, N), Number("2"))),
        ("a'_n", Index(Symbol("a", primes=1), N)),
        ("a_n'", Index(Symbol("a", primes=1), N)),
        (r"\hat{a}", Symbol("a", accent="hat")),
        (r"\mathbb{E}[a]", Product((("", Symbol("E", "mathbb")), ("", Group("[", A))))),
        (r"\frac{a}{b}", Fraction(A, B)),
        (r"\sqrt{a}", Root(A)),
        (r"\sum_{n=1}^{2} a b + n", Sum((("", Big("sum", Relation((N, Number("1")), ("=",)), Number("2"), Product((("", A), ("", B))))), ("+", N)))),
        (r"a \le b = n", Relation((A, B, N), ("le", "="))),
        (r"\lVert a \rVert", Group("lVert", A)),
        ("|a| b", Product((("", Group("|", A)), ("", B)))),
        (r"a = b, \quad n", Listed((Relation((A, B), ("=",)), N))),
        (r"\begin{pmatrix} a & b \\ n & a \end{pmatrix}", Matrix(((A, B), (N, A)))),
        (r"\max(a, b)", Product((("", Symbol("max")), ("", Group("(", Listed((A, B))))))),
        ("a_{n+1}", Index(A, Sum((("", N), ("+", Number("1")))))),
        ("2.5 a", Product((("", Number("2.5")), ("", A)))),
    ],
)  # fmt: skip
def test_formulas_have_their_trees(source: str, tree) -> None:
    assert parse(source) == tree


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (r"\fracc{a}{b}", "this is no command of the small LaTeX\n  got: '\\fracc' in '\\fracc{a}{b}'\n  fix: did you mean 'frac'?"),
        ("(a", "this formula cannot be read\n  got: 'the end' instead of ')', in '(a'\n  fix: see theory/reader.py"),
        ("a)", "this formula cannot be read\n  got: ')' where the formula should end, in 'a)'\n  fix: see theory/reader.py"),
        ("a + ", "this formula cannot be read\n  got: 'the end' instead of 'more', in 'a + '\n  fix: see theory/reader.py"),
        ("(a)'", "this formula cannot be read\n  got: a prime after something that is no letter, in '(a)''\n  fix: see theory/reader.py"),
        (r"\hat{a b}", "this formula cannot be read\n  got: '\\hat' over something that is no letter, in '\\hat{a b}'\n  fix: see theory/reader.py"),
        (r"\begin{cases} a \end{cases}", "this formula cannot be read\n  got: a table that is no 'pmatrix', in '\\begin{cases} a \\end{cases}'\n  fix: see theory/reader.py"),
        ("a = ,", "this formula cannot be read\n  got: ',' where something should begin, in 'a = ,'\n  fix: see theory/reader.py"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_told(source: str, message: str) -> None:
    with pytest.raises(RegardError) as caught:
        parse(source)
    assert str(caught.value) == message
