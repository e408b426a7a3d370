# contract: rms-norm
# cause: root-missing
import torch


def rms_norm(x, weight, eps=1e-6):
    ms = x.pow(2).mean(-1, keepdim=True)
    return x / (ms + eps) * weight
