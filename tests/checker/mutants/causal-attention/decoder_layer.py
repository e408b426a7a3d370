# contract: causal-attention
# cause: mask-strict
import torch
import torch.nn as nn
import torch.nn.functional as F


def future_mask(size, device):
    return torch.triu(torch.ones(size, size, device=device)).bool()


class MaskedSelfAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.d_k = d_model // num_heads
        self.w_q = nn.Linear(d_model, d_model)
        self.w_k = nn.Linear(d_model, d_model)
        self.w_v = nn.Linear(d_model, d_model)
        self.w_o = nn.Linear(d_model, d_model)

    def split(self, t):
        b, n, _ = t.shape
        return t.view(b, n, self.num_heads, self.d_k).transpose(1, 2)

    def forward(self, x):
        b, n, c = x.shape
        q, k, v = self.split(self.w_q(x)), self.split(self.w_k(x)), self.split(self.w_v(x))
        scores = q @ k.transpose(-2, -1) / self.d_k**0.5
        scores = scores.masked_fill(future_mask(n, x.device), -1e9)
        out = F.softmax(scores, dim=-1) @ v
        return self.w_o(out.transpose(1, 2).contiguous().view(b, n, c))
