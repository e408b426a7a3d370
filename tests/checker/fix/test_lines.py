"""New lines: each makes what a mistake asks for."""

import pytest

from checker.fix.kinds import texts
from regard.checker.fix import lines

GRAPH = "def f(x, adj):\n    return adj @ x\n"
EDGES = """def f(e, src, dst, h):
    a = torch.softmax(e, dim=0)
    return torch.zeros_like(h).index_add(0, dst, a * h[src])
"""
GROUPED = """def f(e, src, dst, h):
    most = e.new_full((int(dst.max()) + 1, *e.shape[1:]), float("-inf")).index_reduce(0, dst, e, "amax")
    power = torch.exp(e - most[dst])
    a = power / torch.zeros_like(most).index_add(0, dst, power)[dst]
    return torch.zeros_like(h).index_add(0, dst, a * h[src])
"""
RAW = """def f(e, src, dst, h):
    a = e
    most = a.new_full((int(dst.max()) + 1, *a.shape[1:]), float("-inf")).index_reduce(0, dst, a, "amax")
    power = torch.exp(a - most[dst])
    a = power / torch.zeros_like(most).index_add(0, dst, power)[dst]
    return torch.zeros_like(h).index_add(0, dst, a * h[src])
"""
LOOP = "for i in r:\n    y = f(i)\nz = y\n"


@pytest.mark.parametrize(
    ("kind", "before", "after", "name"),
    [
        (lines.loops, GRAPH, GRAPH.replace("    return", "    adj = adj.clone().fill_diagonal_(1)\n    return"), "loops"),
        (lines.loops, GRAPH, GRAPH.replace("    return", "    adj = torch.cat([adj, torch.arange(len(x)).repeat(2, 1)], dim=1)\n    return"), "loops"),
        (lines.grouped, EDGES, GROUPED, "grouped"),
        (lines.grouped, EDGES.replace("torch.softmax(e, dim=0)", "e"), RAW, "grouped"),
        (lines.summed, "out[dst] = m", "out = out.index_add(0, dst, m)", "summed"),
        (lines.summed, LOOP, "y = 0\nfor i in r:\n    y = y + f(i)\nz = y\n", "summed"),
        (lines.kept, "s.masked_fill(m, v)", "s = s.masked_fill(m, v)", "kept"),
        (lines.filled, "s = s * mask", 's = s.masked_fill(mask == 0, float("-inf"))', "filled"),
        (lines.filled, "s = q @ k + m", 's = (q @ k).masked_fill(m == 0, float("-inf"))', "filled"),
        (lines.symmetric, "y = a @ x", "y = (a / (a.sum(1, keepdim=True) * a.sum(1, keepdim=True).mT).sqrt()) @ x", "symmetric"),
    ],
)  # fmt: skip
def test_a_change_is_among_those_that_are_made(kind, before: str, after: str, name: str) -> None:
    assert texts(kind, before)[after] == name


def test_an_exponential_is_shifted_by_the_largest_score_of_each_node() -> None:
    text = EDGES.replace("torch.softmax(e, dim=0)", "torch.exp(e + 1)")
    assert any("a = torch.exp(score - most[dst])" in new for new in texts(lines.grouped, text))


def test_loops_stand_behind_a_docstring() -> None:
    text = GRAPH.replace("    return", '    """A layer."""\n    return')
    assert all('"""A layer."""\n    adj' in new for new in texts(lines.loops, text))


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        (lines.loops, "def f(x):\n    return x\n"),
        (lines.grouped, EDGES.replace("index_add", "sum")),
        (lines.summed, "out = m"),
        (lines.kept, "s.masked_fill_(m, v)"),
        (lines.filled, "s = s - mask"),
        (lines.symmetric, "y = a * x"),
    ],
)
def test_nothing_is_made_of_what_is_none(kind, text: str) -> None:
    assert texts(kind, text) == {}
