"""Heads side by side and heads averaged are both asked for, where a constructor offers both."""

import pytest
import torch
from torch import nn
from torch.nn import functional as F

from regard.checker.live import check


class GAT(nn.Module):
    """Heads side by side, or not."""

    def __init__(self, inputs: int, outputs: int, heads: int = 2, concat: bool = False) -> None:
        super().__init__()
        self.heads, self.concat = heads, concat
        self.lin = nn.Linear(inputs, heads * outputs, bias=False)
        self.att = nn.Parameter(torch.randn(2, heads, outputs))
        self.bias = nn.Parameter(torch.zeros(heads * outputs if concat else outputs))

    def forward(self, x: torch.Tensor, adj: torch.Tensor) -> torch.Tensor:
        z = self.lin(x).unflatten(-1, (self.heads, -1))
        score = F.leaky_relu((z * self.att[0]).sum(-1)[:, None] + (z * self.att[1]).sum(-1)[None], 0.2)
        out = torch.einsum("ijh,jhd->ihd", score.masked_fill(adj[..., None] == 0, -torch.inf).softmax(1), z)
        return (out.flatten(1) if self.concat else self.merged(out)) + self.bias

    def merged(self, out: torch.Tensor) -> torch.Tensor:
        return out.mean(1)


class Summed(GAT):
    def merged(self, out: torch.Tensor) -> torch.Tensor:
        return out.sum(1)


class Maximum(GAT):
    def merged(self, out: torch.Tensor) -> torch.Tensor:
        return out.amax(1)


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "slugs"), [(GAT, ()), (Summed, ("heads-summed",)), (Maximum, ())])
def test_a_sum_of_heads_is_found_behind_a_switch(kind: type, slugs: tuple[str, ...]) -> None:
    verdict = check(kind, contract="gat-layer").verdicts[0]
    assert verdict.state == ("mistake" if slugs else "correct"), verdict.sentence
    assert verdict.slugs == slugs
    assert verdict.laws["both ways"] is (not slugs)
