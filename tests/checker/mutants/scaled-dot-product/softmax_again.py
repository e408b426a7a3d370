# contract: scaled-dot-product
# cause: softmax-twice
import torch
import torch.nn as nn
import torch.nn.functional as F


def scaled_attention(q, k, v):
    softmax = nn.Softmax(dim=-1)
    scores = softmax(torch.matmul(q, k.transpose(-2, -1)) / (k.size(-1) ** 0.5))
    output = torch.matmul(F.softmax(scores, dim=-1), v)
    return output
