"""What a parameter of a constructor means by its use."""

import pytest

from regard.checker.reading.source import Source
from regard.checker.reading.uses import uses

CLASS = """
class A(nn.Module):
    def __init__(self, head_size, num_heads, vis, keep, rate):
        assert head_size % num_heads == 0
        self.vis = vis
        self.keep = keep
        self.drop = nn.Dropout(rate)

    def forward(self, x):
        weights = x if self.vis else None
        return self.keep * x, weights
"""


def test_what_is_divided_by_the_heads_is_the_width_and_what_only_decides_is_a_flag() -> None:
    assert uses(Source(CLASS), "A") == {"head_size": "width", "vis": "flag"}


def test_what_nobody_reads_means_nothing() -> None:
    text = "class A:\n    def __init__(self, joints, kept, used, wide):\n        self.kept, self.n = kept, wide\n"
    text += "        self.kept = kept\n        self.used = used\n    def f(self):\n        return self.used"
    assert uses(Source(text), "A") == {"joints": "nothing"}
    text = text.replace("self.kept, self.n = kept, wide", "self.n = wide + 1")
    assert uses(Source(text), "A") == {"joints": "nothing", "kept": "nothing"}


@pytest.mark.parametrize("text", ["def A(size, heads):\n    return size // heads", "class A:\n    pass"])
def test_without_a_constructor_nothing_is_said(text: str) -> None:
    assert uses(Source(text), "A") == {}
