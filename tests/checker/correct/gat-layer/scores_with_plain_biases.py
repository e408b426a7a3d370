# contract: gat-layer
import torch
from torch import nn
from torch.nn import functional as F


class ScalarBiasGAT(nn.Module):
    """One head on a dense graph; each end of an edge adds a bias of its own, a single number, to the score."""

    def __init__(self, in_features: int, out_features: int, alpha: float = 0.2) -> None:
        super().__init__()
        self.W = nn.Parameter(torch.empty(in_features, out_features))
        self.a_own = nn.Parameter(torch.empty(out_features, 1))
        self.a_neigh = nn.Parameter(torch.empty(out_features, 1))
        self.own_bias = nn.Parameter(torch.zeros(()))
        self.neigh_bias = nn.Parameter(torch.zeros(()))
        self.slope = alpha
        for weight in (self.W, self.a_own, self.a_neigh):
            nn.init.xavier_uniform_(weight)

    def forward(self, x: torch.Tensor, adj: torch.Tensor) -> torch.Tensor:
        h = x @ self.W
        score = h @ self.a_own + self.own_bias + (h @ self.a_neigh + self.neigh_bias).T
        score = F.leaky_relu(score, self.slope).masked_fill(adj == 0, float("-inf"))
        return score.softmax(1) @ h
