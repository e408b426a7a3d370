# contract: rotary
# convention: interleaved
import math
import torch


def rotary(q, k):
    def turn(x):
        out = torch.empty_like(x)
        n, d = x.shape[-2:]
        for p in range(n):
            for i in range(d // 2):
                a = p * 10000 ** (-2 * i / d)
                R = torch.tensor([[math.cos(a), -math.sin(a)], [math.sin(a), math.cos(a)]], dtype=x.dtype)
                out[..., p, 2 * i : 2 * i + 2] = x[..., p, 2 * i : 2 * i + 2] @ R.T
        return out

    return turn(q), turn(k)
