"""A norm is taken for what it does and says."""

import pytest

from regard.checker.contracts.norm.kinds import is_rms

ROOT = "def f(x, w): return x / (x ** 2).mean(-1, True).sqrt() * w  # {}"


@pytest.mark.parametrize(
    "words",
    ["no subtraction of the mean", "the mean is not subtracted", "without mean subtraction", "uncentered"],
)
def test_who_says_that_no_mean_is_taken_off_is_believed(words: str) -> None:
    assert is_rms(f"def f(x, w): return w * (x - x.mean(-1, True))  # {words}")


@pytest.mark.parametrize(
    ("code", "plain"),
    [
        (ROOT.format(""), True),
        (ROOT.replace("* w", "* w + bias").format(""), False),
        (ROOT.replace("* w", "* w + bias").format("as RMSNorm has it"), True),
        ("def f(x, w): return F.layer_norm(x, x.shape[-1:], w)", False),
        ("def f(x, w): x -= x.mean(-1, True); return x / x.pow(2).mean(-1, True).sqrt()", False),
        ("def f(x, w): return w * x", False),
        ("def f(:", False),
    ],
)
def test_else_the_code_counts(code: str, plain: bool) -> None:
    assert is_rms(code) is plain
