"""Which exceptions turn a graph down, and which are the code's own."""

from pathlib import Path

import numpy as np
import pytest

from regard.checker.contracts.graph.passing import edges
from regard.checker.target import check_file

LAYER = """
import torch
from torch import nn

class GCNLayer(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.fc = nn.Linear(inputs, outputs)

    def forward(self, x, adj):
        LINE
        return adj @ self.fc(x)
"""


def test_every_edge_is_listed_once_its_source_above_its_target() -> None:
    a = np.array([[0, 1, 0], [0, 1, 1], [0, 0, 0]])
    assert sorted(map(tuple, edges(a).T.tolist())) == [(1, 0), (1, 1), (2, 1)]


@pytest.mark.parametrize(
    ("line", "state"),
    [
        ("pass", "correct"),
        ("raise ValueError('an adjacency of two kinds is wanted')", "undecided"),
        ("batch, nodes, times, views, wide = x.shape", "undecided"),
        ("x = x[adj.filter_nodes(len)]", "undecided"),
        ("x = torch.einsum('nctv,vw->nctw', x, adj)", "undecided"),
        ("x = torch.matmul(x, x)", "mistake"),
        ("x = x.unsqeeze(0)", "mistake"),
        ("one, two = torch.ones(3)", "mistake"),
    ],
)
def test_a_line_that_wants_another_graph_leaves_it_undecided(tmp_path: Path, line: str, state: str) -> None:
    (tmp_path / "mine.py").write_text(LAYER.replace("LINE", line), encoding="utf-8")
    (verdict,) = check_file(str(tmp_path / "mine.py")).verdicts
    assert verdict.state == state, verdict.sentence
