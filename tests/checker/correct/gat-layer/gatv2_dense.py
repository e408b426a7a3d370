# contract: gat-layer
# convention: gatv2
import torch
import torch.nn as nn
import torch.nn.functional as F


class GATv2Layer(nn.Module):
    def __init__(self, in_features, out_features, heads=2):
        super().__init__()
        self.heads, self.out_features = heads, out_features
        self.lin_l = nn.Linear(in_features, heads * out_features, bias=False)
        self.lin_r = nn.Linear(in_features, heads * out_features, bias=False)
        self.att = nn.Parameter(torch.randn(heads, out_features) * 0.3)

    def forward(self, x, adj):
        n = x.size(0)
        l = self.lin_l(x).view(n, self.heads, -1)
        r = self.lin_r(x).view(n, self.heads, -1)
        e = (F.leaky_relu(r[:, None] + l[None, :], 0.2) * self.att).sum(-1)
        e = e.masked_fill(adj.reshape(n, n, 1) == 0, -1e9)
        return torch.einsum("ijh,jhf->ihf", e.softmax(1), l).flatten(1)
