# contract: causal-attention
import torch
from torch import nn
from torch.nn import functional as F


class CausalSelfAttention(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.n_head, self.n_query_groups = config.n_head, config.n_query_groups
        self.head_size = config.n_embd // config.n_head
        self.attn = nn.Linear(config.n_embd, (self.n_head + 2 * self.n_query_groups) * self.head_size, bias=config.bias)
        self.proj = nn.Linear(config.n_embd, config.n_embd, bias=config.bias)

    def forward(self, x):
        B, T, C = x.shape
        sizes = [self.n_head * self.head_size, *2 * [self.n_query_groups * self.head_size]]
        q, k, v = self.attn(x).split(sizes, dim=-1)
        q = q.view(B, T, self.n_head, self.head_size).transpose(1, 2)
        k = k.view(B, T, self.n_query_groups, self.head_size).transpose(1, 2)
        v = v.view(B, T, self.n_query_groups, self.head_size).transpose(1, 2)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True)
        return self.proj(y.transpose(1, 2).reshape(B, T, C))
