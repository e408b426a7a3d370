# contract: rotary
# cause: not-reinterleaved
import torch


def rotary_embed(x, offset: int = 0, base: float = 10_000.0):
    seq_len, dim = x.shape[-2:]
    idx = torch.arange(0, dim, 2, device=x.device, dtype=x.dtype)
    pos = torch.arange(offset, offset + seq_len, device=x.device, dtype=x.dtype)
    phase = torch.einsum("n,i->ni", pos, base ** (-idx / dim))
    even, odd = x[..., ::2], x[..., 1::2]
    new_even = even * phase.cos() - odd * phase.sin()
    new_odd = even * phase.sin() + odd * phase.cos()
    return torch.cat((new_even, new_odd), dim=-1)
