# contract: multi-head-attention
import torch
from torch import nn


class MultiHeadEncoder(nn.Module):
    """One map for everything; the maps head by head are from a first draft and rest."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads, self.size = heads, width // heads
        self.to_qkv = nn.Linear(width, 3 * width)
        self.queries = nn.ModuleList([nn.Linear(width, self.size) for _ in range(heads)])
        self.keys = nn.ModuleList([nn.Linear(width, self.size) for _ in range(heads)])
        self.values = nn.ModuleList([nn.Linear(width, self.size) for _ in range(heads)])
        self.out = nn.Linear(width, width)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        b, n, c = x.shape
        q, k, v = self.to_qkv(x).view(b, n, 3, self.heads, self.size).permute(2, 0, 3, 1, 4)
        weights = (q @ k.mT / self.size**0.5).softmax(-1)
        return self.out((weights @ v).transpose(1, 2).reshape(b, n, c))
