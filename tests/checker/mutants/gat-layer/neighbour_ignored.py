# contract: gat-layer
# cause: source-term-missing
import torch
import torch.nn as nn
import torch.nn.functional as F


class GATLayer(nn.Module):
    def __init__(self, in_features, out_features, heads=2):
        super().__init__()
        self.heads, self.out_features = heads, out_features
        self.W = nn.Linear(in_features, heads * out_features, bias=False)
        self.att_src = nn.Parameter(torch.randn(heads, out_features) * 0.3)
        self.att_dst = nn.Parameter(torch.randn(heads, out_features) * 0.3)

    def forward(self, x, edge_index):
        src, dst = edge_index
        n = x.size(0)
        h = self.W(x).view(n, self.heads, self.out_features)
        e = F.leaky_relu((h[dst] * self.att_src).sum(-1) + (h[dst] * self.att_dst).sum(-1), 0.2)
        e = torch.exp(e - e.max())
        norm = torch.zeros(n, self.heads, dtype=x.dtype).index_add(0, dst, e)
        alpha = e / norm[dst]
        return torch.zeros_like(h).index_add(0, dst, alpha[..., None] * h[src]).view(n, -1)
