# contract: rotary
# cause: direction-reversed
import torch


def apply_rotary_emb(x, offset=0, theta=10000.0):
    d = x.shape[-1]
    freqs = 1.0 / theta ** (torch.arange(0, d, 2, dtype=torch.float64, device=x.device) / d)
    t = torch.arange(offset, offset + x.shape[-2], dtype=torch.float64, device=x.device)
    freqs = torch.outer(t, freqs)
    freqs_cis = torch.polar(torch.ones_like(freqs), -freqs)
    x_ = torch.view_as_complex(x.double().reshape(*x.shape[:-1], -1, 2))
    return torch.view_as_real(x_ * freqs_cis).flatten(-2).type_as(x)
