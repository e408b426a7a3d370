# contract: causal-attention
import abc
import torch
from torch import nn

class AttentionBase(nn.Module, abc.ABC):
    def __init__(self, width: int, n_heads: int):
        super().__init__()
        self.width, self.n_heads = width, n_heads
        self.d = width // n_heads
        self.proj_q = nn.Linear(width, width)
        self.proj_k = nn.Linear(width, width)
        self.proj_v = nn.Linear(width, width)
        self.proj_o = nn.Linear(width, width)

    @abc.abstractmethod
    def hide(self, scores):
        ...

    def forward(self, x):
        B, N, _ = x.shape
        q, k, v = (p(x).view(B, N, self.n_heads, self.d).permute(0, 2, 1, 3) for p in (self.proj_q, self.proj_k, self.proj_v))
        w = self.hide(q @ k.transpose(-1, -2) / self.d ** 0.5).softmax(-1)
        return self.proj_o((w @ v).permute(0, 2, 1, 3).reshape(B, N, self.width))

class CausalMHA(AttentionBase):
    def hide(self, scores):
        n = scores.size(-1)
        return scores.masked_fill(torch.ones(n, n, dtype=torch.bool).triu(1), -torch.inf)
