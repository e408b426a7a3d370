# contract: gat-layer
# cause: leaky-of-parts
import torch
from torch import nn
from torch.nn.functional import leaky_relu


class GATLayer(nn.Module):
    """adj[i, j] is one where node i listens to node j."""

    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__()
        self.project = nn.Linear(inputs, outputs, bias=False)
        self.own = nn.Linear(outputs, 1, bias=False)
        self.other = nn.Linear(outputs, 1, bias=False)

    def forward(self, x, adj):
        h = self.project(x)
        score = leaky_relu(self.own(h), 0.2) + leaky_relu(self.other(h), 0.2).T
        score = score.masked_fill(adj == 0, -torch.inf)
        return torch.nan_to_num(score.softmax(dim=1)) @ h
