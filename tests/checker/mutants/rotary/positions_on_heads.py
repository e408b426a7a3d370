# contract: rotary
# cause: axis-wrong
import torch


def apply_rope(x):
    # x: (batch, heads, n, head_dim)
    pos = torch.arange(x.shape[1], dtype=x.dtype)
    d = x.shape[-1]
    f = 10000 ** (-torch.arange(0, d, 2, dtype=x.dtype) / d)
    a = (pos[:, None] * f)[None, :, None, :]
    x1, x2 = x[..., ::2], x[..., 1::2]
    return torch.stack((x1 * a.cos() - x2 * a.sin(), x1 * a.sin() + x2 * a.cos()), -1).flatten(-2)
