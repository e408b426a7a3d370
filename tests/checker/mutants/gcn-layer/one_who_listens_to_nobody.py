# contract: gcn-layer
# cause: unknown
import torch
import torch.nn as nn


class GCNLayer(nn.Module):
    """Improved so that isolated nodes are safe; symmetric normalisation with torch.where."""

    def __init__(self, in_features: int, out_features: int, add_self_loops: bool = True):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(out_features, in_features) * 0.1)
        self.bias = nn.Parameter(torch.zeros(out_features))
        self.add_self_loops = add_self_loops

    def forward(self, x, adj):
        if self.add_self_loops:
            adj = adj - torch.diag(torch.diagonal(adj)) + torch.eye(adj.shape[0], dtype=adj.dtype)
        deg = adj.sum(-1)
        inv = torch.where(deg > 1, deg**-0.5, torch.zeros_like(deg))
        return (inv[:, None] * adj * inv) @ x @ self.weight.T + self.bias
