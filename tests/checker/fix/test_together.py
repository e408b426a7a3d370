"""Several places are changed at once."""

import pytest

from checker.fix.kinds import texts
from regard.checker.fix import together

LINES = "def f(q, k):\n    q = {0}\n    k = {1}\n    return q @ k\n"


@pytest.mark.parametrize(
    ("kind", "before", "after", "name"),
    [
        (together.dropped, LINES.format("F.normalize(q, dim=-1)", "F.normalize(k, dim=-1)"), LINES.format("q", "k"), "call-left-out"),
        (together.moved, LINES.format("F.leaky_relu(g(q), 0.2)", "h(q)"), LINES.format("g(q)", "F.leaky_relu(h(q), 0.2)"), "call-moved"),
        (together.numbers, "i = torch.arange(1, n // 2 + 1)", "i = torch.arange(0, n // 2 + 0)", "number"),
        (together.axis, "m = (x ** 2).mean()", "m = (x ** 2).mean(dim=-1, keepdim=True)", "axes"),
        (together.inside, "w = F.softmax(s, dim=-1) / d ** 0.5", "w = F.softmax(s / d ** 0.5, dim=-1)", "brackets"),
        (together.inside, "w = s.softmax(-1) * c", "w = (s * c).softmax(-1)", "brackets"),
        (together.unconditional, "if not t:\n    e = f(e)\n    e = g(e)\ny = e\n", "e = f(e)\ne = g(e)\ny = e\n", "unconditional"),
        (together.squares, "v = x.var(dim=-1, keepdim=True, unbiased=False)", "v = x.square().mean(dim=-1, keepdim=True)", "function"),
        (together.squares, "v = torch.var(x, dim=-1)", "v = x.square().mean(dim=-1)", "function"),
        (together.squares, "v = x.std(-1)", "v = x.square().mean(-1).sqrt()", "function"),
        (together.moved, "def f(z, a):\n    e = (self.leak(z, 0.2) * a).sum(-1)\n", "def f(z, a):\n    e = self.leak((z * a).sum(-1), 0.2)\n", "call-moved"),
        (together.axis, "m = torch.mean(x)", "m = torch.mean(x, dim=-1, keepdim=True)", "axes"),
    ],
)  # fmt: skip
def test_a_change_is_among_those_that_are_made(kind, before: str, after: str, name: str) -> None:
    assert texts(kind, before)[after] == name


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        (together.dropped, "def f(x):\n    return g(g(x))\n"),
        (together.moved, "def f(x):\n    y = g(x)\n    return y\n"),
        (together.numbers, "i = torch.arange(1, n)"),
        (together.axis, "m = x.mean(-1)"),
        (together.inside, "w = s.exp() / d"),
        (together.unconditional, "if t:\n    x = 1\nelse:\n    x = 2\n"),
        (together.squares, "v = x.mean(dim=-1)"),
    ],
)
def test_nothing_is_made_of_what_is_none(kind, text: str) -> None:
    assert texts(kind, text) == {}
