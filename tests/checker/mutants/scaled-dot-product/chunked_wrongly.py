# contract: scaled-dot-product
# cause: size-dependent
import math
import torch
import torch.nn as nn
import torch.nn.functional as F


def attention(q, k, v, mask=None):
    size, out = 16, []
    for start in range(0, q.size(-2), size):
        s = q[..., start : start + size, :] @ k.transpose(-2, -1) / q.size(-1) ** 0.5
        if mask is not None:
            s = s.masked_fill(~mask[..., :size, :][..., : s.size(-2), :], float("-inf"))
        out.append(s.softmax(-1) @ v)
    return torch.cat(out, -2)
