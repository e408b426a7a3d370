# contract: rotary
# cause: size-dependent
import torch


def rope_interleaved(x, pos):
    """x (n, d), pos (n,)."""
    d = x.shape[1]
    theta = 1e4 ** (-torch.arange(0, d, 2).to(x.dtype) / d)
    m = pos.to(torch.bfloat16).to(x.dtype).view(-1, 1) * theta.view(1, -1)
    cos = torch.repeat_interleave(torch.cos(m), 2, dim=1)
    sin = torch.repeat_interleave(torch.sin(m), 2, dim=1)
    rotated = torch.empty_like(x)
    rotated[:, 0::2] = -x[:, 1::2]
    rotated[:, 1::2] = x[:, 0::2]
    return x * cos + rotated * sin
