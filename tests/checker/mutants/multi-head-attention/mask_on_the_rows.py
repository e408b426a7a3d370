# contract: multi-head-attention
# cause: mask-transposed
import torch
import torch.nn as nn


class EncoderSelfAttention(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.n_heads = n_heads
        self.qkv = nn.Linear(d_model, 3 * d_model)
        self.proj = nn.Linear(d_model, d_model)

    def forward(self, x, mask=None):
        # mask: (B, T) bool, True = real token
        B, T, C = x.shape
        q, k, v = self.qkv(x).view(B, T, 3, self.n_heads, C // self.n_heads).permute(2, 0, 3, 1, 4)
        scores = q @ k.transpose(-1, -2) / (C // self.n_heads) ** 0.5
        if mask is not None:
            scores = scores.masked_fill(~mask.view(B, 1, T, 1), -1e9)
        y = scores.softmax(-1) @ v
        return self.proj(y.transpose(1, 2).reshape(B, T, C))
