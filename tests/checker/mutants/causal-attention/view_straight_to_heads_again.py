# contract: causal-attention
# cause: heads-split-view
import torch
import torch.nn as nn


class MaskedSelfAttention(nn.Module):
    def __init__(self, hidden, n_head, block_size=256):
        super().__init__()
        self.n_head = n_head
        self.to_qkv = nn.Linear(hidden, 3 * hidden)
        self.to_out = nn.Linear(hidden, hidden)
        self.register_buffer(
            "bias", torch.tril(torch.ones(block_size, block_size)).view(1, 1, block_size, block_size)
        )

    def forward(self, x):
        b, t, c = x.shape
        hd = c // self.n_head
        q, k, v = self.to_qkv(x).chunk(3, dim=-1)
        q = q.contiguous().view(b, self.n_head, t, hd)
        k = k.contiguous().view(b, self.n_head, t, hd)
        v = v.contiguous().view(b, self.n_head, t, hd)
        att = q @ k.transpose(-2, -1) / hd**0.5
        att = att.masked_fill(self.bias[:, :, :t, :t] == 0, float("-inf"))
        y = att.softmax(-1) @ v
        return self.to_out(y.transpose(1, 2).reshape(b, t, c))
