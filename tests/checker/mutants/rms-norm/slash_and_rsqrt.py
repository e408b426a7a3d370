# contract: rms-norm
# cause: root-multiplied
import torch


def rms_norm(x, weight, eps=1e-5):
    variance = x.pow(2).mean(-1, keepdim=True)
    return weight * (x / torch.rsqrt(variance + eps))
