# contract: causal-attention
import torch
import torch.nn as nn


class ConvCausalAttention(nn.Module):
    """1x1 linear maps, then everything channel first (b, c, n)."""

    def __init__(self, d_model, heads):
        super().__init__()
        self.heads = heads
        self.to_q = nn.Linear(d_model, d_model)
        self.to_k = nn.Linear(d_model, d_model)
        self.to_v = nn.Linear(d_model, d_model)
        self.to_out = nn.Linear(d_model, d_model)

    def forward(self, x):
        b, n, c = x.shape
        q, k, v = (f(x).transpose(1, 2).reshape(b * self.heads, c // self.heads, n) for f in (self.to_q, self.to_k, self.to_v))
        s = torch.bmm(q.transpose(1, 2), k) / (c // self.heads) ** 0.5
        s = s + torch.full((n, n), -1e9, device=x.device, dtype=x.dtype).triu(1)
        a = torch.softmax(s, dim=2)
        y = torch.bmm(v, a.transpose(1, 2)).reshape(b, c, n).transpose(1, 2)
        return self.to_out(y), a.view(b, self.heads, n, n)
