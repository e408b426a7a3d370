# contract: gcn-layer
# cause: root-missing
import torch
import torch.nn as nn


class GCNLayer(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.linear = nn.Linear(inputs, outputs)

    def forward(self, x, adj):
        A = torch.maximum(adj, torch.eye(adj.size(0), dtype=adj.dtype, device=adj.device))
        D_inv = torch.diag(1.0 / A.sum(1))
        A_hat = D_inv @ A @ D_inv
        return A_hat @ x @ self.linear.weight.T + self.linear.bias
