# contract: gat-layer
# target: GATConv
import torch
from torch import nn


class GATConv(nn.Module):
    """The first row of the edges holds the nodes that listen. A loop is put at every node. Heads are averaged."""

    def __init__(self, n_feat: int, n_out: int, n_heads: int = 3):
        super().__init__()
        self.heads = n_heads
        self.fc = nn.Linear(n_feat, n_heads * n_out, bias=False)
        self.attn_own, self.attn_heard = (nn.Parameter(torch.randn(n_heads, n_out)) for _ in range(2))

    def forward(self, x, edges):
        a = torch.eye(len(x), dtype=torch.bool)
        a[edges[0], edges[1]] = True
        z = self.fc(x).unflatten(-1, (self.heads, -1)).transpose(0, 1)
        own, heard = (z * self.attn_own[:, None]).sum(-1), (z * self.attn_heard[:, None]).sum(-1)
        scores = nn.functional.leaky_relu(own[:, :, None] + heard[:, None], 0.2).masked_fill(~a, -torch.inf)
        return (scores.softmax(-1) @ z).mean(0)
