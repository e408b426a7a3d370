# contract: multi-head-attention
# cause: softmax-twice
import math
import torch
import torch.nn as nn


class ScaledDotProduct(nn.Module):
    def forward(self, q, k, v, mask=None):
        scores = q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])
        if mask is not None:
            scores = scores.masked_fill(mask == False, -1e9)  # noqa: E712
        alpha = torch.softmax(scores, dim=-1)
        return alpha


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_head):
        super().__init__()
        self.n_head = n_head
        self.attention = ScaledDotProduct()
        self.w_q = nn.Linear(d_model, d_model)
        self.w_k = nn.Linear(d_model, d_model)
        self.w_v = nn.Linear(d_model, d_model)
        self.w_concat = nn.Linear(d_model, d_model)

    def split(self, tensor):
        batch, length, d_model = tensor.size()
        return tensor.view(batch, length, self.n_head, d_model // self.n_head).transpose(1, 2)

    def concat(self, tensor):
        batch, head, length, d = tensor.size()
        return tensor.transpose(1, 2).contiguous().view(batch, length, head * d)

    def forward(self, q, k, v, mask=None):
        q, k, v = self.split(self.w_q(q)), self.split(self.w_k(k)), self.split(self.w_v(v))
        if mask is not None:
            mask = mask.unsqueeze(1).unsqueeze(2)
        score = self.attention(q, k, v, mask)
        out = score.softmax(dim=-1) @ v
        return self.w_concat(self.concat(out))
