# contract: rotary
# cause: offset-for-queries-alone
import torch


def apply_rope(q, k, q_offset=0, k_offset=0):
    def turn(x, first=0):
        n, d = x.shape[-2:]
        places = torch.arange(first, first + n, dtype=x.dtype)
        angles = torch.outer(places, 10000.0 ** (-torch.arange(0, d, 2, dtype=x.dtype) / d))
        a, b = x[..., 0::2], x[..., 1::2]
        turned = a * angles.cos() - b * angles.sin(), a * angles.sin() + b * angles.cos()
        return torch.stack(turned, -1).flatten(-2)

    return turn(q, q_offset), turn(k)
