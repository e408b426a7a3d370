# contract: causal-attention
# cause: mask-weak
import torch
import torch.nn as nn


class Block(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.nh = n_heads
        self.to_q = nn.Linear(d_model, d_model, bias=False)
        self.to_k = nn.Linear(d_model, d_model, bias=False)
        self.to_v = nn.Linear(d_model, d_model, bias=False)
        self.to_out = nn.Linear(d_model, d_model)

    def forward(self, x):
        b, t, c = x.shape
        hd = c // self.nh
        q, k, v = (f(x).view(b, t, self.nh, hd).transpose(1, 2) for f in (self.to_q, self.to_k, self.to_v))
        att = q @ k.transpose(-2, -1) / hd**0.5
        past = torch.tril(torch.ones(t, t, device=x.device))
        att = att.masked_fill(past == 0, -5.0)
        att = att.softmax(-1)
        return self.to_out((att @ v).transpose(1, 2).reshape(b, t, c))
