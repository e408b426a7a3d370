# contract: rotary
# cause: frequencies-other-5
import torch


def apply_rope(x):
    count, width = x.shape[-2:]
    rates = 10000.0 ** -torch.linspace(0, 1, width // 2, dtype=torch.float64)
    angle = torch.arange(count, dtype=torch.float64).unsqueeze(1) * rates
    cos, sin = angle.cos().to(x), angle.sin().to(x)
    even, odd = x[..., 0::2], x[..., 1::2]
    return torch.stack([even * cos - odd * sin, even * sin + odd * cos], dim=-1).flatten(-2)
