# contract: layer-norm
# cause: bessel,bias-missing
from typing import Optional

import torch
from torch import nn


class LayerNorm(nn.Module):
    def __init__(self, *, emb_dim: int, eps: Optional[float] = None):
        super().__init__()
        self.eps = 1e-5 if eps is None else eps
        self.scale = nn.Parameter(torch.ones(emb_dim))
        self.shift = nn.Parameter(torch.zeros(emb_dim))

    def forward(self, x):
        mean = x.mean(dim=-1, keepdim=True)
        var = x.var(dim=-1, keepdim=True)
        norm_x = (x - mean) / torch.sqrt(var + self.eps)
        return self.scale * norm_x
