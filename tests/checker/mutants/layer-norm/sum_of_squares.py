# contract: layer-norm
# cause: sum-for-mean
import torch


def layer_norm(x, weight, bias, eps=1e-5):
    c = x - x.mean(-1, keepdim=True)
    return c / torch.sqrt((c * c).sum(-1, keepdim=True) + eps) * weight + bias
