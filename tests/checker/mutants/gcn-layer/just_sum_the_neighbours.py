# contract: gcn-layer
# cause: normalisation-missing
import torch
import torch.nn as nn


class GCNLayer(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.fc = nn.Linear(inputs, outputs, bias=False)
        self.bias = nn.Parameter(torch.zeros(outputs))

    def forward(self, x, adj):
        # adj: plain 0/1 adjacency
        a = adj.clone().fill_diagonal_(1)
        return torch.matmul(a, self.fc(x)) + self.bias
