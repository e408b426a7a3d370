# contract: gat-layer
# cause: training-only
import math
import torch
import torch.nn as nn
import torch.nn.functional as F


class GATLayer(nn.Module):
    def __init__(self, in_dim, out_dim, num_heads=3, dropout=0.6):
        super().__init__()
        self.h, self.d, self.p = num_heads, out_dim // num_heads, dropout
        self.W = nn.Parameter(torch.randn(in_dim, out_dim))
        self.a = nn.Parameter(torch.randn(num_heads, 2 * self.d))

    def forward(self, x, adj):
        n = len(x)
        z = (x @ self.W).view(n, self.h, self.d)
        t, s = (z * self.a[:, : self.d]).sum(-1), (z * self.a[:, self.d :]).sum(-1)
        e = F.leaky_relu(t[:, None] + s[None], 0.2)
        if not self.training:
            e = e.masked_fill((adj == 0)[..., None], -torch.inf)
        alpha = F.dropout(e.softmax(1), self.p, self.training)
        return torch.einsum("ijh,jhd->ihd", alpha, z).reshape(n, -1)
