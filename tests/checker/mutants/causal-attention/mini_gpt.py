# contract: causal-attention
# cause: mask-zero-fill,heads-merge-view
import math
import torch
import torch.nn as nn


class CausalSelfAttention(nn.Module):
    def __init__(self, *, n_embd: int, n_head: int, block_size: int = 64):
        super().__init__()
        self.n_head = n_head
        self.attn = nn.Linear(n_embd, 3 * n_embd)
        self.proj = nn.Linear(n_embd, n_embd)
        self.register_buffer("bias", torch.tril(torch.ones(1, 1, block_size, block_size)))

    def forward(self, x):
        bs, seq, width = x.shape
        qkv = self.attn(x)
        qkv = qkv.view(bs, seq, 3, self.n_head, width // self.n_head).permute(2, 0, 3, 1, 4)
        q, k, v = qkv[0], qkv[1], qkv[2]
        w = q @ k.transpose(-2, -1)
        w = w / math.sqrt(v.size(-1))
        b = self.bias[:, :, :seq, :seq]
        w = w * b
        w = nn.Softmax(dim=-1)(w)
        out = w @ v
        out = out.reshape(bs, seq, width)
        return self.proj(out)
