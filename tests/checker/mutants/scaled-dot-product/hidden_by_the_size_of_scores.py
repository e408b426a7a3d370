# contract: scaled-dot-product
# cause: unknown
# target: sdpa
import numpy as np


def softmax(x):
    e = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return e / np.sum(e, axis=-1, keepdims=True)


def sdpa(q, k, v, mask=None):
    d = q.shape[-1]
    s = np.einsum("...qd,...kd->...qk", q, k) / np.sqrt(d)
    if mask is not None:
        s = s + (1 - mask) * -1e2 * np.abs(s).mean()
    return np.einsum("...qk,...kd->...qd", softmax(s), v)
