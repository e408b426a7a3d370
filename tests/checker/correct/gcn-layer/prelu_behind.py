# contract: gcn-layer
import torch
from torch import nn


class GCNLayer(nn.Module):
    """PReLU(A x W + b) of a batch of graphs; adj is normalised."""

    def __init__(self, n_in, n_out, joints, bias=True):
        super().__init__()
        self.fc = nn.Linear(n_in, n_out, bias=False)
        self.bent = nn.PReLU()
        self.bias = nn.Parameter(torch.zeros(n_out)) if bias else None

    def forward(self, x, adj):
        y = torch.bmm(adj, self.fc(x))
        return self.bent(y if self.bias is None else y + self.bias)
