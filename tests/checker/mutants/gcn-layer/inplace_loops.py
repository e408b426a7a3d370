# contract: gcn-layer
# cause: input-modified
import torch
import torch.nn as nn


class GCNLayer(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(inputs, outputs))
        self.bias = nn.Parameter(torch.zeros(outputs))
        nn.init.xavier_uniform_(self.weight)

    def forward(self, x, adj):
        adj += torch.eye(adj.size(0), dtype=adj.dtype)
        deg = adj.sum(dim=1)
        D = torch.diag(deg.pow(-0.5))
        return D @ adj @ D @ x @ self.weight + self.bias
