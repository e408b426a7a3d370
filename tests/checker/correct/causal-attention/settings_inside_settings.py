# contract: causal-attention
from dataclasses import dataclass, field
import torch
from torch import nn
import torch.nn.functional as F

@dataclass
class Heads:
    count: int = 4
    bias: bool = False

@dataclass
class Model:
    width: int = 64
    context: int = 256
    heads: Heads = field(default_factory=Heads)

class MaskedAttention(nn.Module):
    """Causal attention."""

    def __init__(self, model: Model):
        super().__init__()
        self.n = model.heads.count
        self.to_q = nn.Linear(model.width, model.width, bias=model.heads.bias)
        self.to_k = nn.Linear(model.width, model.width, bias=model.heads.bias)
        self.to_v = nn.Linear(model.width, model.width, bias=model.heads.bias)
        self.to_out = nn.Linear(model.width, model.width)

    def forward(self, x):
        B, T, C = x.shape
        f = lambda z: z.reshape(B, T, self.n, C // self.n).permute(0, 2, 1, 3)
        y = F.scaled_dot_product_attention(f(self.to_q(x)), f(self.to_k(x)), f(self.to_v(x)), is_causal=True)
        return self.to_out(y.permute(0, 2, 1, 3).flatten(2))
