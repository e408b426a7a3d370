# contract: gcn-layer
import torch
from torch import nn


class PairGCN(nn.Module):
    """Features and a normalised adjacency go in as a pair and come out as one, a batch of graphs at a time."""

    def __init__(self, in_features: int, out_features: int) -> None:
        super().__init__()
        self.map = nn.Linear(in_features, out_features)

    def forward(self, pair: tuple[torch.Tensor, torch.Tensor]) -> tuple[torch.Tensor, torch.Tensor]:
        features, adj_norm = pair
        return self.map(torch.bmm(adj_norm, features)), adj_norm
