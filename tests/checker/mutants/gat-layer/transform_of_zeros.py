# contract: gat-layer
# cause: weights-at-zero
import math
import torch
import torch.nn as nn
import torch.nn.functional as F


class GATLayer(nn.Module):
    def __init__(self, in_dim, out_dim, num_heads=3):
        super().__init__()
        self.h, self.d = num_heads, out_dim // num_heads
        self.W = nn.Parameter(torch.zeros(in_dim, out_dim))
        self.a = nn.Parameter(torch.zeros(num_heads, 2 * self.d))

    def forward(self, x, adj):
        n = len(x)
        z = (x @ self.W).view(n, self.h, self.d)
        t, s = (z * self.a[:, : self.d]).sum(-1), (z * self.a[:, self.d :]).sum(-1)
        e = F.leaky_relu(t[:, None] + s[None], 0.2).masked_fill((adj == 0)[..., None], -torch.inf)
        return torch.einsum("ijh,jhd->ihd", e.softmax(1), z).reshape(n, -1)
