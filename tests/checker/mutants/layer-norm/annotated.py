# contract: layer-norm
# cause: gain-missing,bessel
import torch
from torch import nn


class LayerNorm(nn.Module):
    def __init__(self, size: int, eps: float = 1e-6) -> None:
        super().__init__()
        self.scale = nn.Parameter(torch.ones(size))
        self.offset = nn.Parameter(torch.zeros(size))
        self.eps = eps

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        mean = x.mean(-1, keepdim=True)
        std = x.std(-1, keepdim=True)
        normed = (x - mean) / (std + self.eps)
        return normed + self.offset
