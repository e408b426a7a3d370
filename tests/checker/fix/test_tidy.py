"""A changed text is made plain, and what a person wrote stays."""

import pytest

from regard.checker.fix.tidy import tidied

BEFORE = "def f(q, k):\n    q = g(q)\n    k = k\n    return (q) + 0\n"


def test_lines_that_say_nothing_are_left_out_unless_they_were_there() -> None:
    assert tidied(BEFORE.replace("g(q)", "q"), BEFORE) == BEFORE.replace("    q = g(q)\n", "")
    alone = "if q:\n    q = g(q)\n"
    assert tidied(alone.replace("g(q)", "q"), alone) == alone.replace("g(q)", "q")


@pytest.mark.parametrize(
    ("changed", "plain"),
    [
        ("i = torch.arange(0, d // 2 + 0)", "i = torch.arange(0, d // 2)"),
        ("t = torch.arange(offset + 0, offset + n - 0)", "t = torch.arange(offset, offset + n)"),
        ("s = 1 / math.sqrt((d // heads))", "s = 1 / math.sqrt(d // heads)"),
        ("x = x + (1)", "x = x + 1"),
        ("e = torch.exp(s - (s).amax(-1))", "e = torch.exp(s - s.amax(-1))"),
        ("y = (a + b) * c", "y = (a + b) * c"),
        ("y = x * 1.0 + 0.0", "y = x * 1.0 + 0.0"),
        ('y = f("(a)", (b))', 'y = f("(a)", b)'),
    ],
)
def test_sums_with_nothing_and_needless_brackets_go(changed: str, plain: str) -> None:
    assert tidied(changed, "z = 0\n") == plain


def test_a_line_that_did_not_change_keeps_its_brackets_and_sums() -> None:
    assert tidied(BEFORE + "x = 1\n", BEFORE) == BEFORE + "x = 1\n"


def test_a_persons_own_brackets_stay_on_a_line_that_changed() -> None:
    before = "y = f((a // b), c, (d) + 0)\n"
    assert tidied(before.replace("c,", "(e),"), before) == before.replace("c,", "e,")
