# contract: scaled-dot-product
import torch

def attention(mask, q, k, v):
    s = torch.matmul(q, k.transpose(-2, -1)) / q.shape[-1] ** 0.5
    s = s.masked_fill(~mask, float("-inf"))
    return torch.matmul(torch.softmax(s, dim=-1), v)
