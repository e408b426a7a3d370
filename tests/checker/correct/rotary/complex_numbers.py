# contract: rotary
import torch


def rotary(x: torch.Tensor, offset: int = 0, base: float = 10000.0) -> torch.Tensor:
    n, d = x.shape[-2:]
    freq = base ** (-torch.arange(0, d, 2, dtype=torch.float64) / d)
    phase = torch.outer(torch.arange(offset, offset + n, dtype=torch.float64), freq)
    turn = torch.polar(torch.ones_like(phase), phase)
    z = torch.view_as_complex(x.double().reshape(*x.shape[:-1], d // 2, 2).contiguous())
    return torch.view_as_real(z * turn).flatten(-2).to(x.dtype)
