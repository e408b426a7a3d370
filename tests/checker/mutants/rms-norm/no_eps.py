# contract: rms-norm
# cause: eps-missing
import torch


def rms_norm(x, weight, eps=1e-6):
    return x / x.pow(2).mean(dim=-1, keepdim=True).sqrt() * weight
