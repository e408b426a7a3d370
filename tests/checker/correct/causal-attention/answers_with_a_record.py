# contract: causal-attention
from dataclasses import dataclass
import torch
from torch import nn, Tensor


@dataclass
class Output:
    hidden: Tensor
    weights: Tensor


class CausalSelfAttention(nn.Module):
    def __init__(self, width: int, heads: int):
        super().__init__()
        self.heads = heads
        self.proj_q, self.proj_k, self.proj_v, self.proj_o = (nn.Linear(width, width) for _ in range(4))

    def forward(self, x: Tensor) -> Output:
        b, n, c = x.shape
        cut = lambda t: t.reshape(b, n, self.heads, c // self.heads).permute(0, 2, 1, 3)
        q, k, v = cut(self.proj_q(x)), cut(self.proj_k(x)), cut(self.proj_v(x))
        s = q @ k.mT * (c // self.heads) ** -0.5
        bias = torch.full((n, n), torch.finfo(s.dtype).min, dtype=s.dtype).triu(1)
        w = torch.softmax(s + bias, -1)
        return Output(self.proj_o((w @ v).permute(0, 2, 1, 3).reshape(b, n, c)), w)
