# contract: gat-layer
# cause: mask-zero-fill
import torch
import torch.nn as nn
import torch.nn.functional as F


class GAT(nn.Module):
    def __init__(self, nfeat, nhid, alpha=0.2):
        super().__init__()
        self.w = nn.Parameter(torch.randn(nfeat, nhid) / nfeat**0.5)
        self.a1 = nn.Parameter(torch.randn(nhid) / nhid**0.5)
        self.a2 = nn.Parameter(torch.randn(nhid) / nhid**0.5)
        self.alpha = alpha

    def forward(self, x, adj):
        h = x @ self.w
        e = F.leaky_relu((h @ self.a1)[:, None] + (h @ self.a2)[None, :], self.alpha)
        return torch.softmax(e * (adj > 0), dim=-1) @ h
