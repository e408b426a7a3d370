# contract: gcn-layer
# cause: bias-dropped
import torch
import torch.nn as nn


class GraphConvolution(nn.Module):
    """Kipf style; adj_norm is the normalised adjacency."""

    def __init__(self, in_features, out_features):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(in_features, out_features) * 0.3)
        self.bias = nn.Parameter(torch.zeros(out_features))

    def forward(self, x, adj_norm):
        support = torch.mm(x, self.weight)
        return torch.mm(adj_norm, support)
