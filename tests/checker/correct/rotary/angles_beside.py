# contract: rotary
import torch


def apply_rotary_embedding(x: torch.Tensor, angles: torch.Tensor) -> torch.Tensor:
    """x (b, n, h, d); angles (n, d/2)."""
    cos = torch.cos(angles)[None, :, None, :].to(x.dtype)
    sin = torch.sin(angles)[None, :, None, :].to(x.dtype)
    x1, x2 = x.chunk(2, dim=-1)
    return torch.cat([x1 * cos - x2 * sin, x2 * cos + x1 * sin], dim=-1)


def rotary_angles(n: int, head_dim: int, base: float = 10000.0) -> torch.Tensor:
    inv_freq = base ** (-torch.arange(0, head_dim, 2, dtype=torch.float64) / head_dim)
    return torch.arange(n, dtype=torch.float64)[:, None] * inv_freq[None, :]
