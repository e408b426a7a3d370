# contract: scaled-dot-product
# cause: scale-missing
import torch


def scaled_dot_product(queries, keys, values):
    energy = torch.einsum("...qd,...kd->...qk", queries, keys)
    attention = torch.softmax(energy, dim=-1)
    out = torch.einsum("...qk,...kd->...qd", attention, values)
    return out, attention
