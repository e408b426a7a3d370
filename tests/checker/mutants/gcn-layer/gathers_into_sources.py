# contract: gcn-layer
# cause: direction-reversed
import torch
import torch.nn as nn


class GCNLayer(nn.Module):
    def __init__(self, inputs: int, outputs: int):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(inputs, outputs))
        self.bias = nn.Parameter(torch.zeros(outputs))
        nn.init.xavier_uniform_(self.weight)

    def forward(self, x, edge_index):
        n = len(x)
        A = torch.zeros(n, n, dtype=x.dtype, device=x.device)
        A[edge_index[0], edge_index[1]] = 1.0
        A.fill_diagonal_(1.0)
        root = A.sum(1).sqrt()
        A = A / root[:, None] / root[None, :]
        return A @ x @ self.weight + self.bias
