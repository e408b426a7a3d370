# contract: layer-norm
# cause: root-multiplied
import torch


def layer_norm(x, weight, bias, eps=1e-5):
    mu = x.mean(-1, keepdim=True)
    xc = x - mu
    var = xc.square().mean(-1, keepdim=True)
    return xc / torch.rsqrt(var + eps) * weight + bias
