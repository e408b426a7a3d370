"""A node that is joined to nothing, and scores far below zero."""

from pathlib import Path

import pytest

from regard.checker.target import check_file
from regard.checker.wishes import Wishes

LAYER = """
import torch
from torch import nn

class GATLayer(nn.Module):
    '''edge_index: sources in row 0, targets in row 1.'''

    def __init__(self, inputs, outputs, heads=1):
        super().__init__()
        self.heads, self.outputs = heads, outputs
        self.fc = nn.Linear(inputs, heads * outputs, bias=False)
        self.source = nn.Parameter(torch.randn(heads, outputs))
        self.target = nn.Parameter(torch.randn(heads, outputs))

    def forward(self, x, edge_index):
        src, dst = edge_index
        n = len(x)
        h = self.fc(x).view(len(x), self.heads, self.outputs)
        e = nn.functional.leaky_relu((h * self.source).sum(-1)[src] + (h * self.target).sum(-1)[dst], 0.2)
        index = dst[:, None].expand_as(e)
        top = e.new_full((n, self.heads), -torch.inf).scatter_reduce(0, index, e.detach(), "amax")
        e = (e - top[dst]).exp()
        total = e.new_zeros(n, self.heads).index_add(0, dst, e).clamp_min(1e-16)
        y = h.new_zeros(n, self.heads, self.outputs)
        return y.index_add(0, dst, (e / total[dst])[..., None] * h[src]).flatten(1)
"""
DENSE = """
import torch
from torch import nn

class GATLayer(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.fc = nn.Linear(inputs, outputs, bias=False)
        self.source, self.target = nn.Parameter(torch.randn(outputs)), nn.Parameter(torch.randn(outputs))

    def forward(self, x, adj):
        h = self.fc(x)
        e = nn.functional.leaky_relu((h @ self.target)[:, None] + (h @ self.source)[None], 0.2)
        return torch.nan_to_num((e + torch.log(adj)).softmax(-1)) @ h
"""


@pytest.mark.parametrize(
    ("text", "old", "new", "told"),
    [
        (LAYER, "PLACE", "", ""),
        (LAYER, "n = len(x)", "n = int(edge_index.max()) + 1", "7 nodes, of which the last"),
        (
            LAYER,
            "e.new_full((n, self.heads), -torch.inf)",
            "e.new_zeros(n, self.heads)",
            "1000 times as large",
        ),
        (LAYER, "src, dst = edge_index", "dst, src = edge_index", "under your own weights"),
        (DENSE, "PLACE", "", "the answer is finite and its gradient is not"),
    ],
)
def test_rare_graphs_are_held_strictly(tmp_path: Path, text: str, old: str, new: str, told: str) -> None:
    (tmp_path / "mine.py").write_text(text.replace(old, new), encoding="utf-8")
    (verdict,) = check_file(str(tmp_path / "mine.py"), wishes=Wishes(strict=True)).verdicts
    assert verdict.state == ("mistake" if told else "correct"), verdict.sentence
    assert not told or any(told in words for f in verdict.findings for words in f.evidence)
