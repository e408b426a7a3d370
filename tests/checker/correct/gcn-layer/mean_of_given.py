# contract: gcn-layer
import torch
from torch import nn


class NeighbourMeanGCN(nn.Module):
    """The mean of what the neighbours say.

    The adjacency with its self-loops comes for a batch of graphs at once: (batch, nodes, nodes).
    """

    def __init__(self, d_in: int, d_out: int) -> None:
        super().__init__()
        self.speak = nn.Linear(d_in, d_out)

    def forward(self, nodes: torch.Tensor, adj: torch.Tensor) -> torch.Tensor:
        said = self.speak(nodes)
        return torch.bmm(adj, said) / adj.sum(-1, keepdim=True)
