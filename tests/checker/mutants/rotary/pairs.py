# contract: rotary
# cause: exponent-without-two
import torch


def rotary(x: torch.Tensor, offset: int = 0, base: float = 10000.0) -> torch.Tensor:
    *_, n, d = x.shape
    pair = torch.arange(d // 2, device=x.device, dtype=x.dtype)
    theta = base ** (-pair / d)
    p = torch.arange(n, device=x.device, dtype=x.dtype) + offset
    angle = p[:, None] * theta[None, :]
    c, s = torch.cos(angle), torch.sin(angle)
    a, b = x[..., 0::2], x[..., 1::2]
    return torch.stack((a * c - b * s, a * s + b * c), dim=-1).flatten(-2)
