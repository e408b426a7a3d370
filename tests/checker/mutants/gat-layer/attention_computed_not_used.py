# contract: gat-layer
# cause: attention-unused
import torch
import torch.nn as nn
import torch.nn.functional as F


class GraphAttentionLayer(nn.Module):
    def __init__(self, in_features, out_features, alpha=0.2):
        super().__init__()
        self.f = out_features
        self.W = nn.Linear(in_features, out_features, bias=False)
        self.a = nn.Parameter(torch.randn(2 * out_features, 1) * 0.3)
        self.alpha = alpha

    def forward(self, x, adj):
        n = x.size(0)
        adj = (adj.reshape(n, n) != 0).to(x.dtype)
        h = self.W(x)
        e = F.leaky_relu(h @ self.a[: self.f] + (h @ self.a[self.f :]).T, self.alpha)
        attention = torch.where(adj > 0, torch.zeros_like(e), torch.full_like(e, -9e15))
        attention = F.softmax(attention, dim=1) * (adj.sum(1, keepdim=True) > 0)
        return attention @ h
