"""A layer that takes its edges for sorted is found out."""

from pathlib import Path

import pytest

from regard.checker.target import check_file

LAYER = """
import torch
from torch import nn

class GCNLayer(nn.Module):
    def __init__(self, n_in, n_out):
        super().__init__()
        self.lin = nn.Linear(n_in, n_out)

    def forward(self, x, edge_index):
        n = len(x)
        edges = torch.cat([edge_index, torch.arange(n).expand(2, n)], 1)
        source, target = edges[:, edges[1].argsort(stable=True)] if SORTS else edges
        root = torch.bincount(target, minlength=n).to(x.dtype) ** -0.5
        sent = (root[source] * root[target])[:, None] * x[source]
        ends = torch.bincount(target, minlength=n).cumsum(0)
        sums = torch.cat([torch.zeros_like(x[:1]), sent.cumsum(0)])
        return self.lin(sums[ends] - sums[ends - torch.bincount(target, minlength=n)])
"""


@pytest.mark.slow
@pytest.mark.parametrize(("sorts", "slugs"), [("True", ()), ("False", ("edge-order",))])
def test_the_order_of_the_edges(tmp_path: Path, sorts: str, slugs: tuple[str, ...]) -> None:
    (tmp_path / "layer.py").write_text(LAYER.replace("SORTS", sorts))
    verdict = check_file(f"{tmp_path / 'layer.py'}:GCNLayer", contract="gcn-layer").verdicts[0]
    assert set(slugs) <= set(verdict.slugs)
    assert bool(verdict.slugs) is bool(slugs)
