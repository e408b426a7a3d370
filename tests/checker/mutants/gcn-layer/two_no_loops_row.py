# contract: gcn-layer
# cause: self-loops-missing, row-normalised
import torch
import torch.nn as nn


class GCNLayer(nn.Module):
    def __init__(self, in_features, out_features):
        super().__init__()
        self.lin = nn.Linear(in_features, out_features)

    def forward(self, x, adj):
        deg = adj.sum(1, keepdim=True).clamp(min=1)
        return self.lin((adj / deg) @ x)
