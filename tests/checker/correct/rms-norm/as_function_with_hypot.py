# contract: rms-norm
import math
import torch


def rms_norm(x, weight, eps=1e-5):
    """sqrt(a^2 + b^2) with a the root mean square and b the root of eps."""
    rms = torch.linalg.vector_norm(x, dim=-1, keepdim=True) / math.sqrt(x.shape[-1])
    b = torch.full_like(rms, math.sqrt(eps))
    return x / torch.hypot(rms, b) * weight
