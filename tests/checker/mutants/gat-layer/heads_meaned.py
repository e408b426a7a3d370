# contract: gat-layer
# cause: heads-averaged
import torch
import torch.nn as nn
import torch.nn.functional as F


class GATLayer(nn.Module):
    def __init__(self, in_features, out_features, heads=2, concat=True):
        super().__init__()
        self.heads, self.out_features, self.concat = heads, out_features, concat
        self.W = nn.Linear(in_features, heads * out_features, bias=False)
        self.a_l = nn.Parameter(torch.randn(heads, out_features) * 0.3)
        self.a_r = nn.Parameter(torch.randn(heads, out_features) * 0.3)

    def forward(self, x, adj):
        n = x.size(0)
        h = self.W(x).view(n, self.heads, self.out_features)
        e = F.leaky_relu((h * self.a_l).sum(-1)[:, None] + (h * self.a_r).sum(-1)[None], 0.2)
        e = e.masked_fill(adj.reshape(n, n, 1) == 0, -1e9)
        out = torch.einsum("ijh,jhf->ihf", e.softmax(1), h)
        return out.mean(dim=1)
