# contract: layer-norm
import torch


def layer_norm(x, weight, bias, eps=1e-5):
    var, mean = torch.var_mean(x, dim=-1, correction=0, keepdim=True)
    return torch.rsqrt(var + eps) * (x - mean) * weight + bias
