# contract: multi-head-attention
# cause: unknown
from typing import Optional

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import Tensor


class CrossAttention(nn.Module):
    def __init__(self, embed_dim: int, num_heads: int):
        super().__init__()
        self.num_heads = num_heads
        self.q_proj = nn.Linear(embed_dim, embed_dim)
        self.k_proj = nn.Linear(embed_dim, embed_dim)
        self.v_proj = nn.Linear(embed_dim, embed_dim)
        self.out_proj = nn.Linear(embed_dim, embed_dim)

    def _shape(self, t: Tensor) -> Tensor:
        return t.view(t.size(0), t.size(1), self.num_heads, -1).transpose(1, 2)

    def forward(self, query: Tensor, key: Tensor, value: Tensor, mask: Optional[Tensor] = None) -> Tensor:
        q = self._shape(self.q_proj(query))
        k, v = self._shape(self.k_proj(key)), self._shape(self.v_proj(key))
        m = None if mask is None else mask.view(mask.size(0), 1, 1, -1)
        y = F.scaled_dot_product_attention(q, k, v, attn_mask=m)
        return self.out_proj(y.transpose(1, 2).reshape(query.shape))
