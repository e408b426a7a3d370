from xml.etree.ElementTree import fromstring

import pytest

from regard.theory.mathml import mathml


@pytest.mark.parametrize(
    ("source", "inside"),
    [
        ("a^2", "<msup><mi>a</mi><mn>2</mn></msup>"),
        ("a_n^2", "<msubsup><mi>a</mi><mi>n</mi><mn>2</mn></msubsup>"),
        ("e''", "<msup><mi>e</mi><mo>′′</mo></msup>"),
        ("e'_n", "<msubsup><mi>e</mi><mi>n</mi><mo>′</mo></msubsup>"),
        ("e_n'^2", "<msubsup><mi>e</mi><mi>n</mi><mrow><mo>′</mo><mn>2</mn></mrow></msubsup>"),
        (r"\frac{1}{b}", "<mfrac><mrow><mn>1</mn></mrow><mrow><mi>b</mi></mrow></mfrac>"),
        (r"\hat{a}", '<mover accent="true"><mi>a</mi><mo stretchy="false">^</mo></mover>'),
        (r"a < b", "<mrow><mi>a</mi><mo>&lt;</mo><mi>b</mi></mrow>"),
        (r"-a", "<mrow><mo>−</mo><mi>a</mi></mrow>"),
        (r"\beta x", "<mrow><mi>β</mi><mo>\u2062</mo><mi>x</mi></mrow>"),
        (r"\mathbb{E}", "<mi>𝔼</mi>"),
        (r"x^\top", "<msup><mi>x</mi><mi>⊤</mi></msup>"),
        (r"\lVert x \rVert", '<mrow><mo stretchy="false">‖</mo><mi>x</mi><mo stretchy="false">‖</mo></mrow>'),
        (r"\sqrt{2}", "<msqrt><mn>2</mn></msqrt>"),
    ],
)
def test_known_formulas(source: str, inside: str) -> None:
    assert mathml(source) == f"<math>{inside}</math>"


FENCE = "‖()[]|⌊⌋"


def fences(source: str) -> list[bool]:
    """Of each bracket of a formula, from left to right, whether it grows with what it encloses."""
    signs = [one for one in fromstring(mathml(source)).iter("mo") if one.text and one.text in FENCE]
    return [one.get("stretchy") != "false" for one in signs]


@pytest.mark.parametrize(
    "flat",
    [
        r"\lVert \mu \rVert^2",
        "f(x_1, y^2)",
        "[a + b]",
        r"|\sqrt{g}|",
        r"\lfloor n / 2 \rfloor",
        "((a b)^2 = c)",
    ],
)
def test_brackets_around_what_is_not_tall_keep_their_height(flat: str) -> None:
    assert fences(flat) and not any(fences(flat))


@pytest.mark.parametrize(
    "body",
    [
        r"\frac{a}{b}", r"\sum_{n=1}^{N} x_n", r"a + \frac{a}{b}", r"c \frac{a}{b}", r"x^{\frac{a}{b}}", r"x_{\frac{a}{b}}",
        r"\sqrt{\frac{a}{b}}", r"\frac{a}{b} = c", r"a, \frac{a}{b}", r"\begin{pmatrix} 1 & 2 \end{pmatrix}",
    ],
)  # fmt: skip
def test_brackets_grow_with_what_is_tall_however_deep(body: str) -> None:
    assert all(fences(f"({body})")) and all(fences(f"[({body})]"))
    assert fences(rf"\lVert {body} \rVert (x)")[-2:] == [False, False]


def test_sums_have_their_range_below_and_above() -> None:
    tree = fromstring(mathml(r"\sum_{n=1}^{N} x_n"))
    assert [one.tag for one in tree.find(".//munderover")] == ["mo", "mrow", "mrow"]
    assert [one.tag for one in fromstring(mathml(r"\max_{j \in S} x_j")).find(".//munder")] == ["mo", "mrow"]


def test_a_table_has_its_cells_and_a_block_its_own_line() -> None:
    tree = fromstring(mathml(r"\begin{pmatrix} 1 & 2 \\ 3 & 4 \end{pmatrix}", display=True))
    assert tree.get("display") == "block" and [one.text for one in tree.iter("mn")] == ["1", "2", "3", "4"]


def test_a_long_formula_takes_several_lines() -> None:
    short, long = (
        "a = b, \\quad c = d",
        ", \\quad ".join(f"a_{place} = b_{place} + c_{place} + d_{place}" for place in range(9)),
    )
    assert mathml(short, display=True).count("<math") == 1
    made = mathml(long, display=True)
    assert 3 <= made.count("<math") <= 6 and made.count("<mo>=</mo>") == 9 and made.count("<mo>,</mo>") == 8


def test_a_long_sum_is_broken_between_its_terms() -> None:
    wide = "f = " + " + ".join(f"g_{place} h_{place} k_{place} l_{place}" for place in range(12)) + " = 0"
    lines = mathml(wide, display=True).split("</math>")[:-1]
    assert len(lines) >= 2 and sum(line.count("<mo>+</mo>") for line in lines) == 11
    assert all(fromstring(line + "</math>").tag == "math" for line in lines)
