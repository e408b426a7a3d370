# contract: rms-norm
import torch


def rms_norm(x, weight, eps=1e-5):
    return torch.nn.functional.rms_norm(x, (x.shape[-1],), weight, eps)
