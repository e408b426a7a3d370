# contract: multi-head-attention
# cause: unknown
import math
from typing import Optional

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model: int, heads: int, dropout: float = 0.0):
        super().__init__()
        self.h = heads
        self.d_k = d_model // heads
        self.q_linear = nn.Linear(d_model, d_model)
        self.k_linear = nn.Linear(d_model, d_model)
        self.v_linear = nn.Linear(d_model, d_model)
        self.dropout = nn.Dropout(dropout)
        self.out = nn.Linear(d_model, d_model)

    def forward(
        self, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, mask: Optional[torch.Tensor] = None
    ) -> torch.Tensor:
        bs = q.size(0)
        k = self.k_linear(k).view(bs, -1, self.h, self.d_k).transpose(1, 2)
        q = self.q_linear(q).view(bs, -1, self.h, self.d_k).transpose(1, 2)
        v = self.v_linear(v).view(bs, -1, self.h, self.d_k).transpose(1, 2)
        scores = torch.matmul(q, k.transpose(-2, -1)) / math.sqrt(self.d_k)
        if mask is not None:
            bias = torch.zeros_like(mask, dtype=scores.dtype).masked_fill(~mask, -1e9)
            mask = bias
            scores = scores + mask[0].view(1, 1, 1, -1)
        scores = self.dropout(torch.softmax(scores, dim=-1))
        concat = torch.matmul(scores, v).transpose(1, 2).contiguous().view(bs, -1, self.h * self.d_k)
        return self.out(concat)
