"""Numbers, operators and signs: each kind of edit makes what mends a line."""

import pytest

from checker.fix.kinds import texts
from regard.checker.fix import values


@pytest.mark.parametrize(
    ("kind", "before", "after", "name"),
    [
        (values.numbers, "y = s.softmax(dim=1)", "y = s.softmax(dim=-1)", "number"),
        (values.numbers, "y = s.softmax(dim=-2)", "y = s.softmax(dim=-1)", "number"),
        (values.numbers, "s = s.masked_fill(m, 0.0)", 's = s.masked_fill(m, float("-inf"))', "number"),
        (values.numbers, "s = s.masked_fill(m, -1e2)", 's = s.masked_fill(m, float("-inf"))', "number"),
        (values.numbers, "d = deg ** -1", "d = deg ** -0.5", "number"),
        (values.numbers, "y = f(e, 0.01)", "y = f(e, 0.2)", "number"),
        (values.numbers, "m = o.triu(2)", "m = o.triu(1)", "number"),
        (values.numbers, "b = 500000.0", "b = 10000.0", "number"),
        (values.numbers, "s = s.masked_fill(m, 1e-9)", 's = s.masked_fill(m, float("-inf"))', "number"),
        (values.operators, "p = torch.arange(n) % 64", "p = torch.arange(n)", "operand-left-out"),
        (values.signs, "a = torch.outer(p, f)", "a = torch.outer(-p, f)", "sign"),
        (values.operators, "s = p * d", "s = p / d", "operator"),
        (values.operators, "y = a - b", "y = a + b", "operator"),
        (values.operators, "y = k @ q", "y = q @ k", "operands-exchanged"),
        (values.operators, "y = w @ v", "y = w.transpose(-2, -1) @ v", "transpose"),
        (values.operators, "y = a + b", "y = a", "operand-left-out"),
        (values.operators, "m = a | b", "m = a", "operand-left-out"),
        (values.operators, "y = (q * s) @ k", "y = q @ k", "operand-left-out"),
        (values.operators, "y = f(q * s)", "y = f(q)", "operand-left-out"),
        (values.operators, "y = (a + b * c) @ k", "y = (b * c) @ k", "operand-left-out"),
        (values.operators, "y = (k * s).mT", "y = (k + s).mT", "operator-kind"),
        (values.signs, "f = b ** (i / d)", "f = b ** (-(i / d))", "sign"),
        (values.operators, "m = t == 0", "m = t != 0", "comparison"),
        (values.brackets, "y = w * (t + b)", "y = w * t + b", "brackets"),
        (values.brackets, "y = w * t + b", "y = (w + b) * t", "brackets"),
        (values.signs, "m = ~mask", "m = mask", "sign"),
        (values.signs, "if not t:\n    x = 1\n", "if t:\n    x = 1\n", "condition"),
        (values.signs, "s = s.masked_fill(mask, v)", "s = s.masked_fill(~mask, v)", "sign"),
        (values.signs, "y = f(q, attn_mask=m)", "y = f(q, attn_mask=~m)", "sign"),
        (values.signs, "attn_mask = m[:, None]", "attn_mask = ~m[:, None]", "sign"),
    ],
)  # fmt: skip
def test_a_change_is_among_those_that_are_made(kind, before: str, after: str, name: str) -> None:
    assert texts(kind, before)[after] == name


def test_a_number_behind_a_minus_is_changed_with_it() -> None:
    assert all("--" not in text and "-float" not in text for text in texts(values.numbers, "y = x.sum(-1)"))
