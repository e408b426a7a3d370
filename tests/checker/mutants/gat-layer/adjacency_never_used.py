# contract: gat-layer
# cause: mask-ignored
import torch
import torch.nn as nn
import torch.nn.functional as F


class GraphAttentionLayer(nn.Module):
    def __init__(self, in_features, out_features, dropout=0.0, alpha=0.2):
        super().__init__()
        self.out_features = out_features
        self.W = nn.Linear(in_features, out_features, bias=False)
        self.a = nn.Linear(2 * out_features, 1, bias=False)
        self.act = nn.LeakyReLU(alpha)

    def forward(self, x, adj):
        n = x.size(0)
        h = self.W(x)
        pairs = torch.cat([h.repeat_interleave(n, 0), h.repeat(n, 1)], dim=1).view(n, n, -1)
        e = self.act(self.a(pairs)).squeeze(-1)
        att = F.softmax(e, dim=1)
        return att @ h
