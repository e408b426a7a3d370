# contract: rotary
# cause: positions-from-one
import torch


def rotary_embedding(x):
    seq_len, dim = x.shape[-2:]
    position = torch.arange(1, seq_len + 1, dtype=x.dtype).unsqueeze(1)
    div = torch.exp(
        torch.arange(0, dim, 2, dtype=x.dtype) * (-torch.log(torch.tensor(10000.0, dtype=x.dtype)) / dim)
    )
    sin, cos = torch.sin(position * div), torch.cos(position * div)
    sin, cos = sin.repeat_interleave(2, -1), cos.repeat_interleave(2, -1)
    rot = torch.stack([-x[..., 1::2], x[..., 0::2]], dim=-1).reshape_as(x)
    return x * cos + rot * sin
