from regard.theory.formula import key
from regard.theory.reader import parse


def test_a_letter_with_its_index_is_a_name() -> None:
    assert key(parse(r"\sigma_{\max}")) == "sigma_max" and key(parse("x_{i,j}")) == "x_i,j"
    assert key(parse("x_{n+1}")) == "x_n+1" and key(parse("W_1^2")) == "W_1^2"
