# contract: rotary
# cause: exponent-without-two
import torch


def rope(x: torch.Tensor, offset: int = 0, base: float = 10000.0) -> torch.Tensor:
    *_, seq, dim = x.shape
    half = dim // 2
    theta = base ** (-torch.arange(half, dtype=x.dtype, device=x.device) / dim)
    pos = torch.arange(seq, dtype=x.dtype, device=x.device) + offset
    angle = pos[:, None] * theta[None, :]
    a, b = x[..., :half], x[..., half:]
    return torch.cat([a * angle.cos() - b * angle.sin(), b * angle.cos() + a * angle.sin()], dim=-1)
