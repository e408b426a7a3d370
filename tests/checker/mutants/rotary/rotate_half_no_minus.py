# contract: rotary
# cause: sign-missing
import torch


def rotate_half(x):
    x1, x2 = x[..., : x.shape[-1] // 2], x[..., x.shape[-1] // 2 :]
    return torch.cat((x2, x1), dim=-1)


def build_cos_sin(n, d, base=10000.0):
    inv_freq = 1.0 / base ** (torch.arange(0, d, 2).double() / d)
    t = torch.arange(n).double()
    freqs = torch.einsum("i,j->ij", t, inv_freq)
    emb = torch.cat([freqs, freqs], dim=-1)
    return emb.cos(), emb.sin()


def apply_rotary_pos_emb(q, k, cos, sin):
    cos, sin = cos.to(q.dtype), sin.to(q.dtype)
    q_embed = q * cos + rotate_half(q) * sin
    k_embed = k * cos + rotate_half(k) * sin
    return q_embed, k_embed
