# contract: rms-norm
import torch


def rms_norm(weight, x, eps=1e-6):
    ms = torch.einsum("...i,...i->...", x, x).unsqueeze(-1) / x.shape[-1]
    return weight * (x / (ms + eps).sqrt())
