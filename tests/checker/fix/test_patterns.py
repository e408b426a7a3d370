"""Whole idioms: each makes what mends a few lines at once."""

import pytest

from checker.fix.kinds import texts
from regard.checker.fix import patterns

NORM = "def f(x):\n    mu = x.mean(-1, keepdim=True)\n    s = {}.mean(-1, keepdim=True)\n    return x / s\n"
EDGES = """def f(x, edges):
    src, dst = edges
    top = x.new_zeros(3).index_add(0, {0}, x)
    w = x - top[{0}]
    total = x.new_zeros(3).index_add(0, {0}, w)
    return total.index_add(0, dst, w * x[src])
"""
LOOPS = "def f(x, adj):\n    {0}\n    inv = deg ** -0.5\n    {1}\n    return inv * (a @ x)\n"
EARLY = "def f(x, adj):\n    deg = adj.sum(1)\n    eye = g(x)\n    a = adj + eye\n    return deg * a\n"
LATE = "def f(x, adj):\n    eye = g(x)\n    a = adj + eye\n    deg = a.sum(1)\n    return deg * a\n"
DEGREE, ADDED = "deg = adj.sum(1)", "a = adj + torch.eye(3)"


@pytest.mark.parametrize(
    ("kind", "before", "after"),
    [
        (patterns.copies, "m = m.repeat(h, 1)", "m = m.repeat_interleave(h, dim=0)"),
        (patterns.copies, "m = m.repeat(1, h)", "m = m.repeat_interleave(h, dim=-1)"),
        (patterns.copies, "m = m.repeat_interleave(h, dim=0)", "m = m.repeat(h, 1)"),
        (patterns.copies, "c = c.repeat_interleave(2, dim=-1)", "c = torch.cat([c, c], dim=-1)"),
        (patterns.copies, "c = torch.repeat_interleave(f, 2, -1)", "c = torch.cat([f, f], dim=-1)"),
        (patterns.copies, "c = torch.cat((f, f), dim=-1)", "c = f.repeat_interleave(2, dim=-1)"),
        (patterns.copies, "y = torch.cat([a, b], -1)", "y = torch.stack([a, b], dim=-1).flatten(-2)"),
        (patterns.copies, "y = torch.stack([a, b], -1).flatten(-2)", "y = torch.cat([a, b], dim=-1)"),
        (patterns.centred, NORM.format("(x * x)"), NORM.format("((x - mu) * (x - mu))")),
        (patterns.centred, NORM.format("x.pow(2)"), NORM.format("(x - mu).pow(2)")),
        (patterns.axes, "def f(x):\n    m = x.mean(1)\n    return (x - m).var(dim=1)\n", "def f(x):\n    m = x.mean(-1)\n    return (x - m).var(dim=-1)\n"),
        (patterns.axes, "def f(x):\n    return x.mean((-2, -1))\n", "def f(x):\n    return x.mean(-1)\n"),
        (patterns.axes, "def f(x):\n    a = tuple(range(1, x.dim()))\n", "def f(x):\n    a = -1\n"),
        (patterns.centred, "def f(x):\n    v = m - u * u\n", "def f(x):\n    v = x.var(-1, keepdim=True, unbiased=False)\n"),
        (patterns.across, "def forward(self, x):\n    return f(x)\n", "def forward(self, x):\n    x = x.transpose(0, 1)\n    return f(x).transpose(0, 1)\n"),
        (patterns.positions, "def f(x):\n    n = x.shape[1]\n    c = t(n)[None, :, None, :]\n", "def f(x):\n    n = x.shape[-2]\n    c = t(n)\n"),
        (patterns.earlier, EARLY, LATE),
        (patterns.ends, EDGES.format("src"), EDGES.format("dst")),
        (patterns.earlier, LOOPS.format(DEGREE, ADDED), LOOPS.format(f"{ADDED}\n    deg = a.sum(1)", "").replace("    \n", "")),
    ],
)  # fmt: skip
def test_an_idiom_is_among_those_that_are_made(kind, before: str, after: str) -> None:
    assert texts(kind, before)[after] == kind.__name__


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        (patterns.copies, "m = m.repeat(2, 3)"),
        (patterns.copies, "m = m.repeat_interleave(2)"),
        (patterns.copies, "m = torch.cat([a, b, c])"),
        (patterns.centred, "def f(x):\n    return y * z\n"),
        (patterns.axes, "def f(x):\n    return x.mean(1) + x.sum(0)\n"),
        (patterns.ends, "def f(a, b):\n    c = a + a\n    return c + a\n"),
        (patterns.earlier, "def f(x):\n    y = x + 1\n    z = y * 2\n    return z\n"),
    ],
)
def test_nothing_is_made_of_what_is_none(kind, text: str) -> None:
    assert texts(kind, text) == {}
