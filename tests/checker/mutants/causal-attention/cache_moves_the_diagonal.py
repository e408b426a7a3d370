# contract: causal-attention
# cause: cache-mask
import math
from typing import Optional, Tuple
import torch
from torch import nn, Tensor


class CachedCausalAttention(nn.Module):
    def __init__(self, dim: int, n_heads: int):
        super().__init__()
        self.n_heads, self.head_dim = n_heads, dim // n_heads
        self.wq, self.wk, self.wv, self.wo = (nn.Linear(dim, dim, bias=False) for _ in range(4))

    def forward(self, x: Tensor, cache: Optional[Tuple[Tensor, Tensor]] = None):
        B, T, D = x.shape
        q = self.wq(x).view(B, T, self.n_heads, self.head_dim).transpose(1, 2)
        k = self.wk(x).view(B, T, self.n_heads, self.head_dim).transpose(1, 2)
        v = self.wv(x).view(B, T, self.n_heads, self.head_dim).transpose(1, 2)
        past = 0
        if cache is not None:
            past = cache[0].size(2)
            k, v = torch.cat([cache[0], k], 2), torch.cat([cache[1], v], 2)
        S = k.size(2)
        s = q @ k.transpose(2, 3) / math.sqrt(self.head_dim)
        mask = torch.ones(T, S, dtype=torch.bool, device=x.device).tril()
        p = s.masked_fill(~mask, float("-inf")).softmax(dim=-1)
        y = self.wo((p @ v).transpose(1, 2).reshape(B, T, D))
        return y, (k, v)
