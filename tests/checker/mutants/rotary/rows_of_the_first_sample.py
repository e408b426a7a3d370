# contract: rotary
# cause: positions-of-one-sample
import torch


def apply_rope(x, position_ids=None, base=10000.0):
    """x (batch, heads, tokens, channels), position_ids (batch, tokens)"""
    n, d = x.shape[-2:]
    rows = torch.arange(n).expand(x.shape[0], n) if position_ids is None else position_ids
    angles = torch.outer(rows[0].to(x.dtype), base ** (-torch.arange(0, d, 2, dtype=x.dtype) / d))
    a, b = x[..., 0::2], x[..., 1::2]
    return torch.stack([a * angles.cos() - b * angles.sin(), a * angles.sin() + b * angles.cos()], -1).flatten(-2)
