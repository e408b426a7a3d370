# contract: multi-head-attention
import math

import torch
from torch import nn


class CrossModalAttention(nn.Module):
    """Queries, keys and values may come in widths of their own; mask (b, 1, m) is True where a key may be seen."""

    def __init__(self, d_model_q: int, d_model_k: int, d_model_v: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.to_q = nn.Linear(d_model_q, d_model_q)
        self.to_k = nn.Linear(d_model_k, d_model_q)
        self.to_v = nn.Linear(d_model_v, d_model_q)
        self.back = nn.Linear(d_model_q, d_model_q)

    def forward(
        self, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, mask: torch.Tensor | None
    ) -> torch.Tensor:
        split = [
            part.unflatten(-1, (self.heads, -1)).transpose(1, 2)
            for part in (self.to_q(q), self.to_k(k), self.to_v(v))
        ]
        scores = split[0] @ split[1].mT / math.sqrt(split[0].shape[-1])
        if mask is not None:
            scores = scores.masked_fill(~mask.bool().unsqueeze(1), float("-inf"))
        return self.back((scores.softmax(-1) @ split[2]).transpose(1, 2).flatten(2))
