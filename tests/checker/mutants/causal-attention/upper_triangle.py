# contract: causal-attention
# cause: mask-strict
import torch
from torch import nn


class CausalAttention(nn.Module):
    def __init__(self, d_model: int, num_heads: int):
        super().__init__()
        self.num_heads = num_heads
        self.d_head = d_model // num_heads
        self.W_q = nn.Linear(d_model, d_model)
        self.W_k = nn.Linear(d_model, d_model)
        self.W_v = nn.Linear(d_model, d_model)
        self.W_o = nn.Linear(d_model, d_model)

    def split_heads(self, t):
        b, n, _ = t.shape
        return t.reshape(b, n, self.num_heads, self.d_head).permute(0, 2, 1, 3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        b, n, c = x.shape
        q, k, v = (self.split_heads(w(x)) for w in (self.W_q, self.W_k, self.W_v))
        scores = q @ k.transpose(-1, -2) / self.d_head**0.5
        future = torch.triu(torch.ones(n, n, dtype=torch.bool, device=x.device), diagonal=0)
        scores = scores.masked_fill(future, -1e9)
        out = torch.softmax(scores, dim=-1) @ v
        return self.W_o(out.permute(0, 2, 1, 3).reshape(b, n, c))
