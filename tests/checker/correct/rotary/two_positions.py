# contract: rotary
import torch


def rope(q, k, q_pos, k_pos, base=10000.0):
    """Separate positions for queries and keys; (b, h, n, d)."""

    def turn(x, pos):
        d = x.shape[-1]
        ang = pos.to(x.dtype)[:, None] * base ** (-torch.arange(0, d, 2, dtype=x.dtype) / d)
        a, b = x[..., 0::2], x[..., 1::2]
        return torch.stack([a * ang.cos() - b * ang.sin(), a * ang.sin() + b * ang.cos()], -1).flatten(-2)

    return turn(q, q_pos), turn(k, k_pos)
