# contract: rms-norm
# cause: variance-for-square
import torch


def rms_norm(x, weight, eps=1e-6):
    """Root mean square normalisation over the feature dimension."""
    power = torch.var(x, dim=-1, keepdim=True, unbiased=False)
    return x * torch.rsqrt(power + eps) * weight
