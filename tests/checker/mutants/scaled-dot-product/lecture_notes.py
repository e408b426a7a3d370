# contract: scaled-dot-product
# cause: mask-zero-fill
import numpy as np
import torch

MASK_VALUE = 1e-9


def _similarity(Q, K):
    return Q @ K.mT / np.sqrt(K.shape[-1])


def attention(Q, K, V, mask=None):
    S = _similarity(Q, K)
    if mask is not None:
        S = S.masked_fill(mask == 0, MASK_VALUE)
    A = torch.softmax(S, -1)
    return A @ V
