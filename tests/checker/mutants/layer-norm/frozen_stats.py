# contract: layer-norm
# cause: gradient-cut
import torch
from torch import nn


class LayerNorm(nn.Module):
    def __init__(self, normalized_shape: int, eps: float = 1e-5, elementwise_affine: bool = True) -> None:
        super().__init__()
        self.normalized_shape = normalized_shape
        self.eps = eps
        self.elementwise_affine = elementwise_affine
        if elementwise_affine:
            self.weight = nn.Parameter(torch.ones(normalized_shape))
            self.bias = nn.Parameter(torch.zeros(normalized_shape))

    def _statistics(self, x: torch.Tensor):
        x = x.detach()
        return x.mean(-1, keepdim=True), x.var(-1, correction=0, keepdim=True)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        mean, var = self._statistics(x)
        y = (x - mean) / torch.sqrt(var + self.eps)
        if self.elementwise_affine:
            y = y * self.weight + self.bias
        return y
