# contract: gat-layer
# cause: softmax-sources
import torch
import torch.nn.functional as F
from torch import nn


class GraphAttention(nn.Module):
    """adjacency[i, j] = 1: node i listens to node j."""

    def __init__(self, in_features: int, out_features: int) -> None:
        super().__init__()
        self.transform = nn.Linear(in_features, out_features, bias=False)
        self.attend = nn.Linear(2 * out_features, 1, bias=False)

    def forward(self, x, adjacency):
        h = self.transform(x)
        pairs = torch.cat(torch.broadcast_tensors(h[:, None], h[None]), dim=-1)
        scores = F.leaky_relu(self.attend(pairs)[..., 0], 0.2)
        scores[adjacency == 0] = float("-inf")
        return F.softmax(scores, 0) @ h
