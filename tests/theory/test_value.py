import numpy as np
import pytest
import torch

from regard.errors import RegardError
from regard.theory.reader import parse
from regard.theory.value import column, defined, gaps, value

X = np.array([[1.0, 2.0], [3.0, 5.0]])
KNOWN = {
    "x": column(1, 2, 3),
    "X": X,
    "v": column(1, -1),
    "a": 2.0,
    "n": 3,
    "S": [1, 3],
    "f": lambda t: t**2,
    "W_1": 7.0,
}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("2 a + 1", 5.0),
        ("-a^2", -4.0),
        ("a / 4 a", 1.0),
        ("x_2", 2.0),
        ("X_{2,1}", 3.0),
        ("W_1", 7.0),
        (r"x^\top x", 14.0),
        (r"X v", [[-1.0], [-2.0]]),
        (r"X_2", [[3.0], [5.0]]),
        (r"X^{-1} X", [[1.0, 0.0], [0.0, 1.0]]),
        (r"X^2", (X @ X).tolist()),
        (r"X^\top", X.T.tolist()),
        (r"(X v)_2", -2.0),
        (r"\sum_{i=1}^{n} i x_i", 14.0),
        (r"\sum_{i \in S} x_i", 4.0),
        (r"\sum_{i=2}^{1} x_i", 0.0),
        (r"\prod_{i=1}^{n} x_i", 6.0),
        (r"\max_{i=1}^{n} x_i", 3.0),
        (r"\min_{i=1}^{n} x_i", 1.0),
        (r"\max(a, 3)", 3.0),
        (r"|S| + |-a|", 4.0),
        (r"\lVert x \rVert^2", 14.0),
        (r"\lVert v \rVert_1", 2.0),
        (r"\lVert X \rVert_F^2", 39.0),
        (r"\sigma_{\max}(X)", float(np.linalg.norm(X, 2))),
        (r"\exp(\log(a))", 2.0),
        (r"f(a)^2", 16.0),
        (r"f(3)", 9.0),
        (r"\frac{a}{4}", 0.5),
        (r"\sqrt{a + 2}", 2.0),
        (r"x \odot x", [[1.0], [4.0], [9.0]]),
        (r"\mathrm{tr}(X)", 6.0),
        (r"\mathrm{diag}(v)", [[1.0, 0.0], [0.0, -1.0]]),
        (r"\mathrm{rank}(v v^\top)", 1.0),
        (r"\mathbf{1}[a > 1] + \mathbf{1}[a < 1]", 1.0),
        (r"\lfloor a / 3 \rfloor", 0.0),
        (r"\begin{pmatrix} 1 & a \\ 0 & 1 \end{pmatrix}", [[1.0, 2.0], [0.0, 1.0]]),
        (r"\begin{pmatrix} X & v \end{pmatrix}", [[1.0, 2.0, 1.0], [3.0, 5.0, -1.0]]),
        (r"\frac{\partial f(a)}{\partial a}", 4.0),
        (r"\nabla_v (v^\top X v)", ((X + X.T) @ column(1, -1)).tolist()),
        (r"\frac{\partial (X v)}{\partial v}", X.tolist()),
    ],
)  # fmt: skip
def test_formulas_are_worth_what_they_say(source: str, expected) -> None:
    assert np.asarray(value(source, KNOWN)) == pytest.approx(np.array(expected), abs=1e-9)


def test_expectations_are_exact_over_the_law() -> None:
    known = {"law": [{"s": -1.0}, {"s": 3.0}], "a": 2.0}
    assert value(r"\mathbb{E}[a s]", known) == 2.0 and value(r"\mathrm{Var}[a s]", known) == 16.0
    assert value(r"\mathbb{E}[s]^2", known) == 1.0


def test_definitions_are_names_indices_and_functions() -> None:
    found = defined(
        parse(
            r"e_n \coloneqq a n, \quad g(t, u) \coloneqq t - u, \quad b \coloneqq e_2 + 1, \quad h_1 \coloneqq 5"
        )
    )
    assert list(found) == ["e", "g", "b", "h_1"]
    known = {"a": 10.0, **found}
    assert value("b", known) == 21.0 and value("g(b, a)", known) == 11.0 and value("h_1 + e_3", known) == 35.0


def test_a_gradient_is_torchs() -> None:
    random = np.random.default_rng(0)
    w, x = random.standard_normal((3, 2)), random.standard_normal((2, 1))
    made = torch.from_numpy(w.copy()).requires_grad_()
    torch.exp(made @ torch.from_numpy(x)).sum().backward()
    known = {"W": w, "x": x, "e": np.ones((3, 1))}
    assert value(r"\nabla_W (e^\top \exp(W x))", known) == pytest.approx(made.grad.numpy(), abs=1e-9)


@pytest.mark.parametrize(
    ("source", "holds"),
    [
        ("a = 2", True),
        ("a = 2.001", False),
        ("a < 3", True),
        ("a < 2", False),
        (r"a \le 2", True),
        (r"a \le 1.9", False),
        (r"a \ge 2 \ge 1", True),
        (r"a \ge 2 \ge 3", False),
        (r"a \ne 3", True),
        (r"a \ne 2", False),
        ("x = 0", False),
        ("0 x = 0", True),
        ("x = v", False),
        (r"a > 1, \quad a = 3", False),
        (r"a \coloneqq 17", True),
    ],
)
def test_relations_hold_or_do_not(source: str, holds: bool) -> None:
    assert (max(gaps(parse(source), KNOWN, 1e-8), default=0.0) <= 1.0) is holds


def test_a_letter_without_a_value_is_told() -> None:
    with pytest.raises(RegardError) as caught:
        value("betta", {"b": 1, "e": 1, "t": 1, "beta": 2})
    assert str(caught.value) == "a letter of the formula has no value\n  got: 'a'\n  fix: bind it"
