# contract: causal-attention
# target: CausalSelfAttention
import torch
from torch import nn


class CausalSelfAttention(nn.Module):
    """Keys and values go out stacked, and come in again as the past."""

    def __init__(self, config):
        super().__init__()
        self.heads = config.n_head
        self.qkv = nn.Linear(config.n_embd, 3 * config.n_embd)
        self.out = nn.Linear(config.n_embd, config.n_embd)
        seen = torch.ones(config.block_size, config.block_size).tril()
        if hasattr(config, "n_prompt"):
            seen[: config.n_prompt, : config.n_prompt] = 1
        self.register_buffer("seen", seen.bool())

    def forward(self, x, past=None):
        q, k, v = (part.unflatten(-1, (self.heads, -1)).transpose(1, 2) for part in self.qkv(x).chunk(3, -1))
        present = torch.stack((k, v))
        if past is not None:
            k, v = torch.cat((past[0], k), 2), torch.cat((past[1], v), 2)
        n, m = q.shape[2], k.shape[2]
        scores = (q @ k.mT * q.shape[-1] ** -0.5).masked_fill(~self.seen[m - n : m, :m], -torch.inf)
        return self.out((scores.softmax(-1) @ v).transpose(1, 2).flatten(2)), present
