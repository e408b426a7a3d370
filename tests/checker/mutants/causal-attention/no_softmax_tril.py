# contract: causal-attention
# cause: softmax-missing
import torch
import torch.nn as nn


class LinearishAttention(nn.Module):
    def __init__(self, dim, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.to_qkv = nn.Linear(dim, 3 * dim, bias=False)
        self.to_out = nn.Linear(dim, dim)

    def forward(self, x):
        b, n, c = x.shape
        q, k, v = (t.view(b, n, self.num_heads, -1).transpose(1, 2) for t in self.to_qkv(x).chunk(3, -1))
        att = (q @ k.mT * (c // self.num_heads) ** -0.5).tril()
        return self.to_out((att @ v).transpose(1, 2).reshape(b, n, c))
