# contract: multi-head-attention
# cause: unknown
import torch
from torch import nn


class CrossAttention(nn.Module):
    """Decoder tokens look at encoder tokens."""

    def __init__(self, d_model, n_heads):
        super().__init__()
        self.n_heads = n_heads
        self.q_proj = nn.Linear(d_model, d_model)
        self.kv_proj = nn.Linear(d_model, 2 * d_model)
        self.out_proj = nn.Linear(d_model, d_model)

    def forward(self, x, memory, memory_mask=None):
        b, n, c = x.shape
        q = self.q_proj(x).view(b, n, self.n_heads, -1).transpose(1, 2)
        k, v = self.kv_proj(memory).view(b, memory.size(1), 2, self.n_heads, -1).permute(2, 0, 3, 1, 4)
        s = q @ k.transpose(-2, -1) / (c // self.n_heads) ** 0.5
        if memory_mask is not None:
            s = s.masked_fill(memory_mask[:1, None, None, :] == 0, float("-inf"))
        return self.out_proj((s.softmax(-1) @ v).transpose(1, 2).reshape(b, n, c))
