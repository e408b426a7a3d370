# contract: layer-norm
import torch


def layernorm(x, gamma, beta, eps=1e-5):
    mu = x.mean(-1, keepdim=True)
    sigma2 = ((x - mu) ** 2).mean(-1, keepdim=True)
    return gamma * (x - mu) / (sigma2 + eps) ** 0.5 + beta
