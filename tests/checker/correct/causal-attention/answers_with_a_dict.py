# contract: causal-attention
from dataclasses import dataclass
import torch, torch.nn as nn
import torch.nn.functional as F


@dataclass
class GPTConfig:
    block_size: int = 64
    n_layer: int = 2
    n_head: int = 4
    n_embd: int = 32
    dropout: float = 0.0
    bias: bool = True


class Attn(nn.Module):
    def __init__(self, config: GPTConfig = GPTConfig()):
        super().__init__()
        self.c = config
        self.qkv = nn.Linear(config.n_embd, config.n_embd * 3, bias=config.bias)
        self.o = nn.Linear(config.n_embd, config.n_embd, bias=config.bias)

    def forward(self, x):
        q, k, v = (
            t.unflatten(-1, (self.c.n_head, -1)).transpose(1, 2) for t in self.qkv(x).tensor_split(3, dim=-1)
        )
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return {"out": self.o(y.transpose(1, 2).flatten(2)), "cache": None}
