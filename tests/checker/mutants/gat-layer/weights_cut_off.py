# contract: gat-layer
# cause: gradient-cut
import torch
from torch import nn


class GATHead(nn.Module):
    """A graph attention layer with one head on a dense adjacency."""

    def __init__(self, in_dim: int, out_dim: int, slope: float = 0.2):
        super().__init__()
        self.w = nn.Linear(in_dim, out_dim, bias=False)
        self.a_self = nn.Linear(out_dim, 1, bias=False)
        self.a_neigh = nn.Linear(out_dim, 1, bias=False)
        self.slope = slope

    def forward(self, x: torch.Tensor, adj: torch.Tensor) -> torch.Tensor:
        z = self.w(x)
        scores = self.a_self(z) + self.a_neigh(z).transpose(0, 1)
        scores = torch.nn.functional.leaky_relu(scores, negative_slope=self.slope)
        linked = adj.bool() | torch.eye(len(x), dtype=torch.bool, device=x.device)
        weights = scores.masked_fill(~linked, float("-inf")).softmax(dim=1)
        return weights.detach() @ z
