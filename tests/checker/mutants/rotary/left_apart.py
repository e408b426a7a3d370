# contract: rotary
# cause: not-reinterleaved
import torch


def rotary(x: torch.Tensor, offset: int = 0, base: float = 10000.0) -> torch.Tensor:
    n, d = x.shape[-2:]
    i = torch.arange(d // 2, dtype=x.dtype, device=x.device)
    p = torch.arange(n, dtype=x.dtype, device=x.device) + offset
    ang = p[:, None] * base ** (-2.0 * i / d)
    a, b = x[..., ::2], x[..., 1::2]
    ra = a * torch.cos(ang) - b * torch.sin(ang)
    rb = a * torch.sin(ang) + b * torch.cos(ang)
    return torch.cat([ra, rb], dim=-1)
