# contract: gcn-layer
# cause: self-loops-missing
import torch
from torch import nn


class GCNLayer(nn.Module):
    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(inputs, outputs))
        self.bias = nn.Parameter(torch.zeros(outputs))
        nn.init.xavier_uniform_(self.weight)

    def forward(self, x: torch.Tensor, adj: torch.Tensor) -> torch.Tensor:
        deg = adj.sum(dim=1)
        inv_sqrt = deg.clamp(min=1).pow(-0.5)
        adj = inv_sqrt[:, None] * adj * inv_sqrt[None, :]
        return adj @ (x @ self.weight) + self.bias
