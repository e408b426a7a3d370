# contract: scaled-dot-product
# cause: softmax-batch
import math
import torch
import torch.nn.functional as F


def batched_attention(q, k, v):
    b, n, d = q.shape
    weights = torch.bmm(q, k.transpose(1, 2)) / math.sqrt(d)
    weights = F.softmax(weights, dim=0)
    return torch.bmm(weights, v)
