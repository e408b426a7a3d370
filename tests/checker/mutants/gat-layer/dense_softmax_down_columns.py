# contract: gat-layer
# cause: softmax-sources
import torch
import torch.nn as nn
import torch.nn.functional as F


class GrafAufmerksamkeit(nn.Module):
    """Zeile i von adj: die Knoten, auf die Knoten i hört."""

    def __init__(self, eingang, ausgang, steigung=0.2):
        super().__init__()
        self.W = nn.Linear(eingang, ausgang, bias=False)
        self.a_links = nn.Linear(ausgang, 1, bias=False)
        self.a_rechts = nn.Linear(ausgang, 1, bias=False)
        self.steigung = steigung

    def forward(self, x, adj):
        h = self.W(x)
        e = F.leaky_relu(self.a_links(h) + self.a_rechts(h).transpose(0, 1), self.steigung)
        e = e.masked_fill(adj == 0, -1e12)
        gewichte = F.softmax(e, dim=0) * (adj != 0)
        return gewichte @ h
