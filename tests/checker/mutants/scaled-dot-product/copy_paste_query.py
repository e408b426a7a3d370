# contract: scaled-dot-product
# cause: query-is-key
import math
import torch


def self_attention(q, k, v):
    scores = torch.matmul(q, q.transpose(-2, -1)) / math.sqrt(k.size(-1))
    return torch.softmax(scores, dim=-1).matmul(v)
