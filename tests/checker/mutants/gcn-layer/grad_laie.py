# contract: gcn-layer
# cause: degree-before-loops
import torch
from torch import nn


class GraphFaltung(nn.Module):
    def __init__(self, eingang: int, ausgang: int):
        super().__init__()
        self.linear = nn.Linear(eingang, ausgang, bias=False)
        self.bias = nn.Parameter(torch.zeros(ausgang))

    def forward(self, x: torch.Tensor, adj: torch.Tensor) -> torch.Tensor:
        n = adj.shape[0]
        grad = adj.sum(dim=1)
        adj_schleifen = adj + torch.eye(n, dtype=adj.dtype, device=adj.device)
        wurzel = torch.where(grad > 0, grad.clamp(min=1e-12).pow(-0.5), torch.zeros_like(grad))
        normiert = wurzel[:, None] * adj_schleifen * wurzel[None, :]
        return normiert @ self.linear(x) + self.bias
