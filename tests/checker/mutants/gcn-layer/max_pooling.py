# contract: gcn-layer
# cause: neighbour-maximum
import torch
import torch.nn as nn


class GCNLayer(nn.Module):
    def __init__(self, in_features, out_features):
        super().__init__()
        self.lin = nn.Linear(in_features, out_features, bias=False)

    def forward(self, x, adj):
        A = ((adj + torch.eye(adj.size(0), dtype=adj.dtype)) > 0).to(x.dtype)
        d = A.sum(1).rsqrt()
        norm = d[:, None] * A * d[None, :]
        h = self.lin(x)
        messages = norm[:, :, None] * h[None]
        messages = messages.masked_fill(A[:, :, None] == 0, float("-inf"))
        return messages.max(dim=1).values
