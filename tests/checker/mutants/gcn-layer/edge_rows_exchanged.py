# contract: gcn-layer
# cause: direction-reversed
import torch
import torch.nn as nn


class GCNConv(nn.Module):
    def __init__(self, in_channels, out_channels):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(in_channels, out_channels) * 0.3)
        self.bias = nn.Parameter(torch.zeros(out_channels))

    def forward(self, x, edge_index):
        n = x.size(0)
        dst, src = edge_index
        keep = src != dst
        src = torch.cat([src[keep], torch.arange(n)])
        dst = torch.cat([dst[keep], torch.arange(n)])
        deg = torch.zeros(n, dtype=x.dtype).scatter_add(0, dst, torch.ones_like(dst, dtype=x.dtype))
        norm = deg[src].rsqrt() * deg[dst].rsqrt()
        h = x @ self.weight
        out = torch.zeros_like(h).index_add(0, dst, h[src] * norm.unsqueeze(1))
        return out + self.bias
