# contract: gat-layer
# cause: mask-inverted
import torch
import torch.nn as nn


class GraphAttentionLayer(nn.Module):
    def __init__(self, in_features, out_features):
        super().__init__()
        self.W = nn.Linear(in_features, out_features, bias=False)
        self.a = nn.Linear(2 * out_features, 1, bias=False)
        self.act = nn.LeakyReLU(0.2)

    def forward(self, x, adj):
        n = x.size(0)
        h = self.W(x)
        hi = h.unsqueeze(1).expand(n, n, -1)
        hj = h.unsqueeze(0).expand(n, n, -1)
        e = self.act(self.a(torch.cat([hi, hj], dim=-1))).squeeze(-1)
        mask = adj > 0
        e = e.masked_fill(mask, -1e12)
        return torch.softmax(e, dim=1) @ h
