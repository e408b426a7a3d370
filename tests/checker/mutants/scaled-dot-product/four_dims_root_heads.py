# contract: scaled-dot-product
# cause: scale-heads
import math
import torch


def attention(Q, K, V, mask=None):
    b, h, n, d = Q.shape
    S = torch.matmul(Q, K.transpose(2, 3)) / math.sqrt(Q.shape[1])
    if mask is not None:
        S = S.masked_fill(mask == False, float("-inf"))
    A = torch.softmax(S, dim=3)
    return torch.matmul(A, V)
