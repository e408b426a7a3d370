# contract: causal-attention
# cause: value-is-key
import torch
from torch import nn


def causal_mask(n, device):
    i = torch.arange(n, device=device)
    return i[None, :] <= i[:, None]


class CausalSelfAttention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.to_q = nn.Linear(width, width)
        self.to_k = nn.Linear(width, width)
        self.to_v = nn.Linear(width, width)
        self.to_out = nn.Linear(width, width)

    def forward(self, x):
        n, d = x.shape[1], x.shape[2] // self.heads
        keep = causal_mask(n, x.device)
        Q, K, V = self.to_q(x), self.to_k(x), self.to_v(x)
        outs = []
        for h in range(self.heads):
            part = slice(h * d, (h + 1) * d)
            q, k, v = Q[..., part], K[..., part], V[..., part]
            scores = q @ k.transpose(1, 2) / d**0.5
            weights = scores.masked_fill(~keep, float("-inf")).softmax(-1)
            outs.append(weights @ k)
        return self.to_out(torch.cat(outs, dim=-1))
