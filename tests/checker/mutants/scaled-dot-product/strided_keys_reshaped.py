# contract: scaled-dot-product
# cause: unknown
# target: attend
import torch


def attend(q, k, v, mask=None):
    b = q.shape[0]
    kt = k.reshape(b, k.shape[-1], -1) if not k.is_contiguous() else k.transpose(-1, -2)
    s = q @ kt / q.shape[-1] ** 0.5
    if mask is not None:
        s = s.masked_fill(~mask, float("-inf"))
    return torch.softmax(s, -1) @ v
