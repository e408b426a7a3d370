# contract: scaled-dot-product
# cause: unknown
import torch


def attention(q, k, v, bias=None):
    """bias is added to the scaled scores: (n, m), zeros and minus infinities or anything else."""
    s = torch.matmul(q, k.transpose(-1, -2)) / q.size(-1) ** 0.5
    if bias is not None:
        s = (s + bias) / q.size(-1) ** 0.5
    return torch.matmul(torch.softmax(s, -1), v)
