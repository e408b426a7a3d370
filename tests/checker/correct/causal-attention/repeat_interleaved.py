# contract: causal-attention
import torch
from torch import nn


class LlamaStyleAttention(nn.Module):
    def __init__(self, dim: int, n_heads: int, n_kv_heads: int, max_seq_len: int = 64):
        super().__init__()
        self.n_heads, self.n_kv_heads, self.head_dim = n_heads, n_kv_heads, dim // n_heads
        self.wq = nn.Linear(dim, n_heads * self.head_dim, bias=False)
        self.wk = nn.Linear(dim, n_kv_heads * self.head_dim, bias=False)
        self.wv = nn.Linear(dim, n_kv_heads * self.head_dim, bias=False)
        self.wo = nn.Linear(n_heads * self.head_dim, dim, bias=False)
        self.register_buffer("causal", torch.ones(max_seq_len, max_seq_len).tril().bool(), persistent=False)

    def forward(self, x):
        b, n, _ = x.shape
        q = self.wq(x).view(b, n, self.n_heads, self.head_dim)
        k = self.wk(x).view(b, n, self.n_kv_heads, self.head_dim)
        v = self.wv(x).view(b, n, self.n_kv_heads, self.head_dim)
        k, v = (t.repeat_interleave(self.n_heads // self.n_kv_heads, dim=2) for t in (k, v))
        q, k, v = q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2)
        scores = (q @ k.transpose(2, 3)) / self.head_dim**0.5
        scores = scores.masked_fill(~self.causal[:n, :n], float("-inf"))
        return self.wo((scores.softmax(-1) @ v).transpose(1, 2).reshape(b, n, -1))
