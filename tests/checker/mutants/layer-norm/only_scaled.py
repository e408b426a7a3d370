# contract: layer-norm
# cause: mean-kept
import torch
from torch import nn


class LayerNorm(nn.Module):
    def __init__(self, num_features: int, epsilon: float = 1e-5):
        super().__init__()
        self.epsilon = epsilon
        self.gain = nn.Parameter(torch.ones(num_features))
        self.shift = nn.Parameter(torch.zeros(num_features))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        mean = x.mean(dim=-1, keepdim=True)
        var = ((x - mean) ** 2).mean(dim=-1, keepdim=True)
        inv_std = (var + self.epsilon).rsqrt()
        return x * inv_std * self.gain + self.shift
