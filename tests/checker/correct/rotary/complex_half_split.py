# contract: rotary
import torch


def rope(x, offset=0, base=10000.0):
    n, d = x.shape[-2:]
    a, b = x.double().chunk(2, dim=-1)
    i = torch.arange(d // 2, dtype=torch.float64, device=x.device)
    p = torch.arange(offset, offset + n, dtype=torch.float64, device=x.device)
    turn = torch.exp(1j * p[:, None] * torch.pow(torch.tensor(base, dtype=torch.float64, device=x.device), -2 * i / d))
    z = torch.complex(a, b) * turn
    return torch.cat([z.real, z.imag], dim=-1).to(x.dtype)
