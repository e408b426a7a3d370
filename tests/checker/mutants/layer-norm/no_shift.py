# contract: layer-norm
# cause: bias-missing
import torch
import torch.nn as nn


class LayerNorm(nn.Module):
    def __init__(self, n, eps=1e-5):
        super().__init__()
        self.w = nn.Parameter(torch.ones(n))
        self.b = nn.Parameter(torch.zeros(n))
        self.eps = eps

    def forward(self, x):
        m = torch.mean(x, -1, keepdim=True)
        s = torch.mean((x - m) ** 2, -1, keepdim=True)
        h = (x - m) * torch.rsqrt(s + self.eps)
        return self.w * h
