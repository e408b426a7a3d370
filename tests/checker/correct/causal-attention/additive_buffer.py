# contract: causal-attention
import math

import torch
from torch import Tensor, nn


class CausalAttention(nn.Module):
    def __init__(self, embed_dim: int, num_heads: int, max_len: int = 512) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.query = nn.Linear(embed_dim, embed_dim)
        self.key_value = nn.Linear(embed_dim, 2 * embed_dim)
        self.output = nn.Linear(embed_dim, embed_dim)
        bias = torch.zeros(max_len, max_len).masked_fill(torch.ones(max_len, max_len).triu(1) > 0, -1e30)
        self.register_buffer("causal_bias", bias, persistent=False)

    def forward(self, x: Tensor) -> Tensor:
        b, n, c = x.shape
        h, d = self.num_heads, c // self.num_heads
        key, value = self.key_value(x).chunk(2, dim=-1)
        query = self.query(x).reshape(b, n, h, d).transpose(1, 2).reshape(b * h, n, d)
        key = key.reshape(b, n, h, d).transpose(1, 2).reshape(b * h, n, d)
        value = value.reshape(b, n, h, d).transpose(1, 2).reshape(b * h, n, d)
        scores = torch.baddbmm(
            self.causal_bias[:n, :n].to(x.dtype).expand(b * h, n, n), query, key.transpose(1, 2), alpha=1 / math.sqrt(d)
        )
        mixed = torch.bmm(scores.softmax(dim=2), value)
        return self.output(mixed.view(b, h, n, d).transpose(1, 2).reshape(b, n, c))
