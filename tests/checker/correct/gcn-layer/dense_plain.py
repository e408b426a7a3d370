# contract: gcn-layer
# convention: self-loops-twice
import torch
import torch.nn as nn


class GCNLayer(nn.Module):
    def __init__(self, in_features, out_features):
        super().__init__()
        self.linear = nn.Linear(in_features, out_features, bias=False)

    def forward(self, x, adj):
        A_hat = adj + torch.eye(adj.size(0), dtype=adj.dtype, device=adj.device)
        d = A_hat.sum(dim=1).pow(-0.5)
        return (d[:, None] * A_hat * d[None, :]) @ self.linear(x)
