# contract: multi-head-attention
# cause: kv-heads-tiled
from dataclasses import dataclass

import torch
from torch import nn


@dataclass
class Settings:
    hidden_size: int
    num_attention_heads: int
    num_key_value_heads: int
    qkv_bias: bool = True


class Attention(nn.Module):
    def __init__(self, config: Settings):
        super().__init__()
        self.config = config
        self.size = config.hidden_size // config.num_attention_heads
        self.groups = config.num_attention_heads // config.num_key_value_heads
        self.to_q = nn.Linear(config.hidden_size, config.hidden_size, bias=config.qkv_bias)
        self.to_kv = nn.Linear(
            config.hidden_size, 2 * config.num_key_value_heads * self.size, bias=config.qkv_bias
        )
        self.to_out = nn.Linear(config.hidden_size, config.hidden_size)

    def forward(self, hidden_states, attention_mask=None):
        batch, length, width = hidden_states.shape
        k, v = self.to_kv(hidden_states).chunk(2, dim=-1)
        q = self.to_q(hidden_states).view(batch, length, self.groups, -1, self.size)
        k = k.view(batch, length, -1, self.size)
        v = v.view(batch, length, -1, self.size)
        scores = torch.einsum("bigkd,bjkd->bgkij", q, k) / self.size**0.5
        if attention_mask is not None:
            scores = scores.masked_fill(~attention_mask[:, None, None, None, :], -1e30)
        mixed = torch.einsum("bgkij,bjkd->bigkd", scores.softmax(-1), v)
        return self.to_out(mixed.reshape(batch, length, width))
