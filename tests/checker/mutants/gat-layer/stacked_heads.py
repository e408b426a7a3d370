# contract: gat-layer
# cause: heads-merge-view
import torch
from torch import nn


class MultiHeadGAT(nn.Module):
    def __init__(self, in_features: int, out_features: int, heads: int = 4):
        super().__init__()
        self.d = out_features
        self.W = nn.Parameter(torch.empty(heads, in_features, out_features))
        self.a = nn.Parameter(torch.empty(heads, 2 * out_features))
        self.bias = nn.Parameter(torch.zeros(heads * out_features))
        for p in (self.W, self.a):
            nn.init.xavier_normal_(p)
        self.leaky = nn.LeakyReLU(negative_slope=0.2)

    def forward(self, x: torch.Tensor, adj: torch.Tensor) -> torch.Tensor:
        n = x.size(0)
        h = torch.matmul(x, self.W)
        own = torch.matmul(h, self.a[:, : self.d, None])
        other = torch.matmul(h, self.a[:, self.d :, None])
        e = self.leaky(own + other.transpose(1, 2))
        allowed = (adj + torch.eye(n, dtype=adj.dtype, device=adj.device)) > 0
        att = torch.softmax(e.masked_fill(~allowed, -1e9), dim=2)
        y = torch.matmul(att, h)
        return y.reshape(n, -1) + self.bias
