# contract: rotary
# cause: axis-wrong
import torch


def rotary(x, offset=0, base=10000.0):
    # x: (batch, heads, tokens, channels)
    n = x.shape[1]
    d = x.shape[-1]
    freq = base ** (-torch.arange(0, d, 2, dtype=x.dtype) / d)
    angle = torch.outer(torch.arange(offset, offset + n, dtype=x.dtype), freq)
    cos = angle.cos()[None, :, None, :]
    sin = angle.sin()[None, :, None, :]
    left, right = x.split(d // 2, dim=-1)
    return torch.cat((left * cos - right * sin, right * cos + left * sin), -1)
