# contract: gat-layer
"""GATv2, dense: a^T LeakyReLU(W x_i + W x_j), one W, several heads."""
import torch
from torch import nn


class SharedGATv2(nn.Module):
    def __init__(self, in_features, out_features, heads=2):
        super().__init__()
        self.heads, self.out_features = heads, out_features
        self.map = nn.Linear(in_features, heads * out_features, bias=False)
        self.scorer = nn.Parameter(torch.randn(heads, out_features) * 0.3)

    def forward(self, x, adj):
        n = x.shape[0]
        h = self.map(x).view(n, self.heads, self.out_features)
        both = torch.nn.functional.leaky_relu(h[:, None] + h[None], 0.2)
        e = torch.einsum("ijhd,hd->hij", both, self.scorer)
        e = e.masked_fill(adj[None] == 0, -1e9)
        w = e.softmax(-1)
        return torch.einsum("hij,jhd->ihd", w, h).reshape(n, -1)
