# contract: rotary
import torch


def rotary(x: torch.Tensor, offset: int = 0, base: float = 10000.0) -> torch.Tensor:
    n, d = x.shape[-2:]
    freqs = base ** (-torch.arange(0, d, 2, dtype=torch.float64, device=x.device) / d)
    angle = torch.outer(torch.arange(offset, offset + n, dtype=torch.float64, device=x.device), freqs)
    z = torch.complex(x[..., 0::2].double(), x[..., 1::2].double())
    z = z * torch.exp(1j * angle)
    return torch.view_as_real(z).flatten(-2).to(x.dtype)
