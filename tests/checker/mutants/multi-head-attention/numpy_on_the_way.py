# contract: multi-head-attention
# cause: gradient-cut
import torch
import torch.nn as nn
import torch.nn.functional as F


class MHA(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.query = nn.Linear(d_model, d_model)
        self.key = nn.Linear(d_model, d_model)
        self.value = nn.Linear(d_model, d_model)
        self.out = nn.Linear(d_model, d_model)

    def forward(self, x):
        b, n, c = x.shape
        q = self.query(x).view(b, n, self.num_heads, -1).transpose(1, 2)
        k = self.key(x).view(b, n, self.num_heads, -1).transpose(1, 2)
        v = self.value(x).view(b, n, self.num_heads, -1).transpose(1, 2)
        weights = torch.softmax(q @ k.transpose(-1, -2) / q.shape[-1] ** 0.5, dim=-1)
        weights = torch.tensor(weights.detach().numpy(), dtype=x.dtype)
        return self.out((weights @ v).transpose(1, 2).reshape(b, n, c))
