# contract: layer-norm
# convention: eps-placement
import torch


def layer_norm(x, weight, bias, eps=1e-6):
    mean = x.mean(-1, keepdim=True)
    std = x.std(-1, keepdim=True, correction=0)
    return (x - mean) / (std + eps) * weight + bias
