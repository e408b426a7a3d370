# contract: layer-norm
# cause: root-multiplied
import torch


def layer_norm(x, weight, bias, eps=1e-5):
    m = x.mean(dim=-1, keepdim=True)
    v = x.var(dim=-1, keepdim=True, unbiased=False)
    return (x - m) * torch.sqrt(v + eps) * weight + bias
