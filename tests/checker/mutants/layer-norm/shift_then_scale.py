# contract: layer-norm
# cause: bias-before-gain
import torch


def layernorm(x, gamma, beta, eps=1e-5):
    xc = x - x.mean(-1, keepdim=True)
    xhat = xc * torch.rsqrt(xc.pow(2).mean(-1, keepdim=True) + eps)
    return (xhat + beta) * gamma
