# contract: rotary
# cause: positions-of-one-sample
import torch


def rotary(x, position_ids):
    """x (b, h, n, d); position_ids (b, n)."""
    samples, count = position_ids.shape
    assert samples == len(x)
    speed = 10000.0 ** (-torch.arange(0, x.shape[-1], 2).to(x) / x.shape[-1])
    angle = position_ids[0].view(count, 1) * speed
    even, odd = x[..., 0::2], x[..., 1::2]
    pair = even * angle.cos() - odd * angle.sin(), even * angle.sin() + odd * angle.cos()
    return torch.stack(pair, dim=-1).flatten(-2)
