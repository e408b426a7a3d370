# contract: gcn-layer
# cause: degree-before-loops
import math

import torch
from torch import nn


class GraphConvolution(nn.Module):
    """Simple GCN layer on a dense adjacency, after Kipf and Welling."""

    def __init__(self, in_features, out_features):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(in_features, out_features))
        self.bias = nn.Parameter(torch.empty(out_features))
        stdv = 1.0 / math.sqrt(out_features)
        self.weight.data.uniform_(-stdv, stdv)
        self.bias.data.uniform_(-stdv, stdv)

    def forward(self, x, adj):
        degree = adj.sum(1).clamp(min=1)
        eye = torch.eye(adj.size(0), dtype=adj.dtype, device=adj.device)
        a_tilde = torch.maximum(adj, eye)
        d = torch.diag(degree**-0.5)
        support = torch.mm(x, self.weight)
        return d @ a_tilde @ d @ support + self.bias
