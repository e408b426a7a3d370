# contract: causal-attention
# cause: scale-missing, out-projection-missing
import torch
import torch.nn as nn


class CausalAttention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.to_qkv = nn.Linear(dim, 3 * dim)
        self.to_out = nn.Linear(dim, dim)

    def forward(self, x):
        b, n, c = x.shape
        q, k, v = (t.view(b, n, self.heads, -1).transpose(1, 2) for t in self.to_qkv(x).chunk(3, -1))
        s = (q @ k.transpose(-1, -2)).masked_fill(torch.ones(n, n, device=x.device).triu(1).bool(), -1e9)
        y = s.softmax(-1) @ v
        return y.transpose(1, 2).reshape(b, n, c)
