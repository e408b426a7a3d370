# contract: scaled-dot-product
import torch


def attention(q, k, v):
    rows = []
    for i in range(q.shape[-2]):
        qi = q[..., i : i + 1, :]
        s = (qi * k).sum(-1) / q.shape[-1] ** 0.5
        a = torch.softmax(s, dim=-1)
        rows.append((a.unsqueeze(-1) * v).sum(-2))
    return torch.stack(rows, dim=-2)
