# contract: gcn-layer
# cause: left-only
import torch
import torch.nn as nn


class GraphConvolution(nn.Module):
    def __init__(self, in_features, out_features):
        super().__init__()
        self.fc = nn.Linear(in_features, out_features, bias=False)

    def forward(self, x, adj):
        a_hat = adj + torch.eye(adj.size(0), dtype=adj.dtype)
        d = a_hat.sum(dim=1).pow(-0.5)
        return torch.diag(d) @ a_hat @ self.fc(x)
