# contract: gat-layer
# says: (largest|maximum) & (neighbour|source)
import torch
from torch import nn
from torch.nn import functional as F


class GATLayer(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.lin = nn.Linear(inputs, outputs, bias=False)
        self.a_own = nn.Linear(outputs, 1, bias=False)
        self.a_neighbour = nn.Linear(outputs, 1, bias=False)

    def forward(self, x, adj):
        h = self.lin(x)
        e = F.leaky_relu(self.a_own(h) + self.a_neighbour(h).T, 0.2)
        top = e.masked_fill(adj == 0, float("-inf")).amax(1)
        top = torch.where(top.isfinite(), top, torch.zeros_like(top))
        raised = torch.exp(e - top[None]) * (adj != 0)
        total = raised.sum(1, keepdim=True)
        return raised / torch.where(total == 0, torch.ones_like(total), total) @ h
