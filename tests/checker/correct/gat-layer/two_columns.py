# contract: gat-layer
import torch
import torch.nn as nn


class GATLayer(nn.Module):
    """Edge weights are optional and default to one (they multiply the messages after the softmax)."""

    def __init__(self, in_channels, out_channels, heads=4):
        super().__init__()
        self.heads, self.out_channels = heads, out_channels
        self.lin = nn.Linear(in_channels, out_channels * heads, bias=False)
        self.a = nn.Parameter(torch.randn(heads, out_channels, 2) * 0.1)

    def forward(self, x, edge_index, edge_weight=None):
        n = x.size(0)
        z = self.lin(x).view(n, self.heads, self.out_channels)
        both = torch.einsum("nhd,hdk->knh", z, self.a)
        src, dst = edge_index[0], edge_index[1]
        e = nn.functional.leaky_relu(both[0][dst] + both[1][src], 0.2)
        top = torch.stack([e[dst == i].amax(0) if (dst == i).any() else e.new_zeros(self.heads) for i in range(n)])
        p = torch.exp(e - top[dst])
        p = p / torch.zeros_like(top).index_add(0, dst, p)[dst]
        if edge_weight is not None:
            p = p * edge_weight[:, None]
        return torch.zeros_like(z).index_add(0, dst, p[..., None] * z[src]).flatten(1)
