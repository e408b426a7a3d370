# contract: layer-norm
import torch
from torch import nn


class LayerNorm(nn.Module):
    def __init__(self, size: int, eps: float = 1e-6):
        super().__init__()
        self.size = size
        self.eps = eps
        self.gain = nn.Parameter(torch.ones(size))
        self.offset = nn.Parameter(torch.zeros(size))

    def forward(self, x):
        centre = x - x.sum(-1, keepdim=True) / self.size
        power = torch.einsum("...i,...i->...", centre, centre).unsqueeze(-1) / self.size
        return torch.addcmul(self.offset, centre * torch.rsqrt(power + self.eps), self.gain)
