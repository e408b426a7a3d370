# contract: rotary
# cause: exponent-doubled
import torch


class RotaryPositions(torch.nn.Module):
    """Interleaved rotary positions for tensors (..., n, dim)."""

    def __init__(self, dim, base=10000.0):
        super().__init__()
        half = dim // 2
        steps = torch.arange(0, dim, 2, dtype=torch.float64) / half
        self.register_buffer("theta", torch.pow(base, -steps))

    def forward(self, x, offset=0):
        pos = torch.arange(offset, offset + x.size(-2), device=x.device, dtype=torch.float64)
        phi = torch.einsum("n,f->nf", pos, self.theta)
        rot = torch.stack([phi.cos(), -phi.sin(), phi.sin(), phi.cos()], dim=-1).unflatten(-1, (2, 2)).to(x)
        pairs = x.unflatten(-1, (-1, 2))
        return torch.einsum("nfij,...nfj->...nfi", rot, pairs).flatten(-2)
