# contract: causal-attention
# cause: unknown
import torch
import torch.nn as nn


class CausalAttention(nn.Module):
    def __init__(self, d_model, heads):
        super().__init__()
        self.heads = heads
        self.wq = nn.Linear(d_model, d_model)
        self.wk = nn.Linear(d_model, d_model)
        self.wv = nn.Linear(d_model, d_model)
        self.wo = nn.Linear(d_model, d_model)

    def forward(self, x):
        b, n, c = x.shape
        q, k, v = (f(x).view(b, n, self.heads, -1).transpose(1, 2) for f in (self.wq, self.wk, self.wv))
        pos = torch.arange(n, device=x.device)
        # farther tokens count more
        s = q @ k.transpose(-1, -2) / q.size(-1) ** 0.5 + 0.1 * (pos[:, None] - pos[None, :])
        s = s.masked_fill(pos[None, :] > pos[:, None], float("-inf"))
        return self.wo((s.softmax(-1) @ v).transpose(1, 2).reshape(b, n, c))
