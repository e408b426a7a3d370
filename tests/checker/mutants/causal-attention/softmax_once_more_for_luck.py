# contract: causal-attention
# cause: softmax-twice
import torch
import torch.nn as nn
import torch.nn.functional as F


def masked_weights(scores):
    n = scores.shape[-1]
    hidden = torch.ones(n, n, device=scores.device).triu(1).bool()
    return F.softmax(scores.masked_fill(hidden, float("-inf")), dim=-1)


class CausalSelfAttention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)

    def forward(self, x):
        b, n, c = x.shape
        q, k, v = self.qkv(x).view(b, n, 3, self.heads, c // self.heads).permute(2, 0, 3, 1, 4)
        a = masked_weights(q @ k.transpose(-1, -2) / (c // self.heads) ** 0.5)
        hidden = torch.ones(n, n, device=x.device).triu(1).bool()
        a = torch.softmax(a.masked_fill(hidden, float("-inf")), dim=-1)
        return self.out((a @ v).transpose(1, 2).reshape(b, n, c))
