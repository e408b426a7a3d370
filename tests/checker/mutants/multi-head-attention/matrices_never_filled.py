# contract: multi-head-attention
# cause: weights-unfilled
import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.w_q = nn.Parameter(torch.empty(width, width))
        self.w_k = nn.Parameter(torch.empty(width, width))
        self.w_v = nn.Parameter(torch.empty(width, width))
        self.w_o = nn.Parameter(torch.empty(width, width))

    def forward(self, query, key, value, mask=None):
        tokens = (query @ self.w_q, key @ self.w_k, value @ self.w_v)
        q, k, v = (t.unflatten(-1, (self.heads, -1)).transpose(1, 2) for t in tokens)
        scores = q @ k.mT / q.shape[-1] ** 0.5
        if mask is not None:
            scores = scores.masked_fill(~mask[:, None, None], float("-inf"))
        return (scores.softmax(-1) @ v).transpose(1, 2).flatten(2) @ self.w_o
