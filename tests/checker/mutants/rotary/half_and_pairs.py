# contract: rotary
# cause: pairing-mixed
import torch


def rotate_half(x):
    x1, x2 = x.chunk(2, dim=-1)
    return torch.cat((-x2, x1), dim=-1)


def rotary(x: torch.Tensor, offset: int = 0, base: float = 10000.0) -> torch.Tensor:
    n, d = x.shape[-2], x.shape[-1]
    inv_freq = 1.0 / base ** (torch.arange(0, d, 2, device=x.device).to(x.dtype) / d)
    pos = torch.arange(offset, offset + n, device=x.device).to(x.dtype)
    angles = torch.outer(pos, inv_freq)
    angles = angles.repeat_interleave(2, dim=-1)
    return x * angles.cos() + rotate_half(x) * angles.sin()
