# contract: gcn-layer
# cause: degree-before-loops
import torch
import torch.nn as nn


class GCN(nn.Module):
    def __init__(self, in_features, out_features):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(in_features, out_features) * 0.3)
        self.bias = nn.Parameter(torch.zeros(out_features))

    def forward(self, x, adj):
        deg = adj.sum(1).clamp(min=1)
        A = adj + torch.eye(adj.size(0), dtype=adj.dtype, device=adj.device)
        inv = deg.rsqrt()
        return (inv[:, None] * A * inv[None, :]) @ (x @ self.weight) + self.bias
