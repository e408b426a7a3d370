# contract: layer-norm
import torch
import torch.nn as nn


class LayerNorm(nn.Module):
    """Centring as a product with I - 1/n; the variance from the centred rows."""

    def __init__(self, width, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.gain = nn.Parameter(torch.ones(1, 1, width))
        self.shift = nn.Parameter(torch.zeros(1, 1, width))

    def forward(self, x):
        n = x.shape[-1]
        centre = torch.eye(n, dtype=x.dtype, device=x.device) - 1.0 / n
        y = x @ centre
        y = y * (torch.einsum("...i,...i->...", y, y) / n + self.eps).rsqrt().unsqueeze(-1)
        return y * self.gain.view(-1) + self.shift.view(-1)
