# contract: causal-attention
import torch
import torch.nn as nn


class GroupedQueryAttention(nn.Module):
    def __init__(self, d_model, n_heads=6, n_kv_heads=3):
        super().__init__()
        self.n_heads, self.n_kv_heads, self.hd = n_heads, n_kv_heads, d_model // n_heads
        self.q_proj = nn.Linear(d_model, d_model, bias=False)
        self.k_proj = nn.Linear(d_model, n_kv_heads * self.hd, bias=False)
        self.v_proj = nn.Linear(d_model, n_kv_heads * self.hd, bias=False)
        self.o_proj = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x):
        B, T, D = x.shape
        g = self.n_heads // self.n_kv_heads
        q = self.q_proj(x).view(B, T, self.n_kv_heads, g, self.hd)
        k = self.k_proj(x).view(B, T, self.n_kv_heads, self.hd)
        v = self.v_proj(x).view(B, T, self.n_kv_heads, self.hd)
        s = torch.einsum("bikgd,bjkd->bkgij", q, k) * self.hd ** -0.5
        s = s.masked_fill(torch.ones(T, T, device=x.device).triu(1).bool(), float("-inf"))
        y = torch.einsum("bkgij,bjkd->bikgd", s.softmax(-1), v)
        return self.o_proj(y.reshape(B, T, D))
