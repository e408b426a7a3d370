# contract: rotary
# cause: positions-from-one
import torch


def rope(x: torch.Tensor, offset: int = 0, base: float = 10_000.0) -> torch.Tensor:
    n, d = x.shape[-2:]
    freqs = 1.0 / (base ** (torch.arange(0, d, 2, dtype=torch.float64, device=x.device) / d))
    t = torch.arange(offset + 1, offset + n + 1, dtype=torch.float64, device=x.device)
    turn = torch.polar(torch.ones(n, d // 2, dtype=torch.float64), torch.outer(t, freqs))
    z = torch.view_as_complex(x.double().reshape(*x.shape[:-1], d // 2, 2))
    return torch.view_as_real(z * turn).flatten(-2).to(x.dtype)
