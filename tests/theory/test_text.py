import pytest

from regard.theory.text import plain, told


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        (r"a_n^2 + 2 \beta", "aₙ² + 2 β"),
        (r"\frac{a + b}{2}", "(a + b) / 2"),
        (r"\frac{a}{b}", "a / b"),
        (r"\frac{a}{b} c", "(a / b) c"),
        (r"x^\top A y", "xᵀ A y"),
        (r"\hat{a} \le \tilde{a}'", "â ≤ ã′"),
        (r"\lVert x \rVert_F^2", "‖x‖_F²"),
        (r"\exp(-t)", "exp(−t)"),
        (r"\sqrt{a b}", "√(a b)"),
        (r"\frac{\partial g}{\partial a}", "(∂g) / (∂a)"),
        (r"\sum_{j=1}^{n} w_j", "∑ⱼ₌₁ⁿ wⱼ"),
        (r"\max_{j \in S} x_j", "max_(j ∈ S) xⱼ"),
        (r"A^{-1}", "A⁻¹"),
        (r"\begin{pmatrix} 1 & 0 \\ 0 & 1 \end{pmatrix}", "[1 0; 0 1]"),
        (r"|a - b|, \quad \lfloor c \rfloor", "|a − b|, ⌊c⌋"),
        (r"(a + b)^2", "(a + b)²"),
        (r"\mathbb{E}[x]", "𝔼[x]"),
        (r"\mathbf{1}[x > 0]", "𝟏[x > 0]"),
        (r"a \odot b / c", "a ⊙ b/c"),
    ],
)
def test_known_formulas(source: str, shown: str) -> None:
    assert plain(source) == shown


def test_words_around_formulas_stay() -> None:
    assert told("with $a_1$ and $$b^2$$ it is") == "with a₁ and b² it is"


def test_marks_are_left_out_but_for_code() -> None:
    assert told("*Derivation.* As in [[exactness]], 2*3*4 and `a[[0]]`") == (
        "Derivation. As in exactness, 2*3*4 and `a[[0]]`"
    )
