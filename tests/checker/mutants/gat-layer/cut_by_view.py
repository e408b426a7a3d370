# contract: gat-layer
# cause: heads-split-view
import torch
from torch import nn


class GraphAttentionLayer(nn.Module):
    def __init__(self, n_in, n_out, n_heads=3):
        super().__init__()
        self.n_heads, self.n_out = n_heads, n_out
        self.map = nn.Linear(n_in, n_heads * n_out, bias=False)
        self.a_own = nn.Parameter(torch.randn(n_heads, n_out) * 0.2)
        self.a_other = nn.Parameter(torch.randn(n_heads, n_out) * 0.2)

    def forward(self, x, adj):
        n = len(x)
        h = self.map(x).view(self.n_heads, n, self.n_out)
        own, other = ((h * a[:, None]).sum(-1) for a in (self.a_own, self.a_other))
        e = nn.functional.leaky_relu(own[:, :, None] + other[:, None], 0.2)
        w = e.masked_fill(adj == 0, -torch.inf).softmax(-1).nan_to_num()
        return (w @ h).transpose(0, 1).reshape(n, -1)
