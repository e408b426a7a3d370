# contract: rotary
import torch


def rope_by_sample(q, k, places):
    """q and k (b, h, n, d); places (b, n): where each token of each sample stands."""
    d = q.shape[-1]
    speed = 10000.0 ** (-torch.arange(0, d, 2, dtype=q.dtype) / d)
    angle = places[:, None, :, None].to(q.dtype) * speed
    cos, sin = angle.cos(), angle.sin()

    def turn(x):
        a, b = x.chunk(2, dim=-1)
        return torch.cat([a * cos - b * sin, b * cos + a * sin], dim=-1)

    return turn(q), turn(k)
