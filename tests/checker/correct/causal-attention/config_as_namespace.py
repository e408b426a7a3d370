# contract: causal-attention
import torch
import torch.nn as nn
import torch.nn.functional as F
from types import SimpleNamespace

CONFIG = SimpleNamespace(n_embd=24, n_head=3, block_size=32, dropout=0.0)


class SelfAttention(nn.Module):
    def __init__(self, cfg=CONFIG):
        super().__init__()
        self.cfg = cfg
        w = cfg.n_embd
        self.qkv = nn.Parameter(torch.randn(3, w, w) / w ** 0.5)
        self.proj = nn.Parameter(torch.randn(w, w) / w ** 0.5)

    def forward(self, x):
        h = self.cfg.n_head
        q, k, v = torch.einsum("btc,pcd->pbtd", x, self.qkv).unflatten(-1, (h, -1)).transpose(2, 3)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return y.transpose(1, 2).flatten(-2) @ self.proj
