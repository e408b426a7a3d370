# contract: causal-attention
# target: CausalSelfAttention
import torch
from torch import nn


class CausalSelfAttention(nn.Module):
    def __init__(self, n_embd, n_head, dropout_rate, attn_pdrop, resid_pdrop, block_size, device):
        super().__init__()
        self.heads, self.device, self.rate = n_head, device, dropout_rate
        self.qkv = nn.Linear(n_embd, 3 * n_embd)
        self.out = nn.Linear(n_embd, n_embd)
        self.inner, self.outer = nn.Dropout(attn_pdrop), nn.Dropout(resid_pdrop)

    def forward(self, x):
        q, k, v = (part.unflatten(-1, (self.heads, -1)).transpose(1, 2) for part in self.qkv(x).chunk(3, -1))
        later = torch.ones(x.shape[1], x.shape[1], device=self.device).triu(1).bool()
        scores = (q @ k.mT * q.shape[-1] ** -0.5).masked_fill(later, -torch.inf)
        y = (self.inner(scores.softmax(-1)) @ v).transpose(1, 2).flatten(2)
        return self.outer(self.out(y))
