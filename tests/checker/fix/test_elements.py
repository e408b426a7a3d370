"""Elements and parameters are exchanged, signs turned, branches taken always."""

import pytest

from checker.fix.kinds import texts
from regard.checker.fix import elements


@pytest.mark.parametrize(
    ("kind", "before", "after", "name"),
    [
        (elements.exchanged, "m = mask[:, None, :, None]", "m = mask[:, None, None, :]", "elements-exchanged"),
        (elements.exchanged, "a[e[0], e[1]] = 1", "a[e[1], e[0]] = 1", "elements-exchanged"),
        (elements.exchanged, "def f(a):\n    return a.sin(), a.cos()\n", "def f(a):\n    return a.cos(), a.sin()\n", "elements-exchanged"),
        (elements.exchanged, "def f(q, v, k, m=None):\n    return q\n", "def f(q, k, v, m=None):\n    return q\n", "arguments-exchanged"),
        (elements.signed, "y = cat((b, a), -1)", "y = cat((-b, a), -1)", "sign"),
        (elements.signed, "y = cat((b, -a), -1)", "y = cat((-b, a), -1)", "sign"),
        (elements.branches, "y = a if self.training else b", "y = b", "unconditional"),
        (elements.branches, "y = a if self.training else b", "y = a", "unconditional"),
        (elements.branches, "if t:\n    x = 1\n    y = 1\nelse:\n    x = 2\nz = x\n", "x = 2\nz = x\n", "unconditional"),
        (elements.branches, "if t:\n    x = 1\n    y = 1\nelse:\n    x = 2\nz = x\n", "x = 1\ny = 1\nz = x\n", "unconditional"),
    ],
)  # fmt: skip
def test_a_change_is_among_those_that_are_made(kind, before: str, after: str, name: str) -> None:
    assert texts(kind, before)[after] == name


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        (elements.exchanged, "m = mask[None, None]"),
        (elements.exchanged, "a, b = c"),
        (elements.exchanged, "def f(self, x, y=0):\n    return x\n"),
        (elements.signed, "x = y[:, None]"),
        (elements.branches, "if t:\n    x = 1\n"),
    ],
)
def test_nothing_is_made_of_what_is_none(kind, text: str) -> None:
    assert texts(kind, text) == {}
