# contract: rotary
# cause: unknown
import torch


def precompute_freqs_cis(dim, end, theta=10000.0):
    freqs = 1.0 / (theta ** (torch.arange(0, dim, 2)[: dim // 2].double() / dim))
    t = torch.arange(end).double()
    freqs = torch.outer(t, freqs)
    return torch.polar(freqs, torch.ones_like(freqs))


def apply_rotary_emb(x, offset=0, base=10000.0):
    n, d = x.shape[-2:]
    freqs_cis = precompute_freqs_cis(d, offset + n, base)[offset:]
    x_ = torch.view_as_complex(x.double().reshape(*x.shape[:-1], -1, 2))
    return torch.view_as_real(x_ * freqs_cis).flatten(-2).type_as(x)
