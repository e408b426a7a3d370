# contract: layer-norm
# cause: variance-for-deviation
import torch


def layer_norm(x: torch.Tensor, gamma: torch.Tensor, beta: torch.Tensor, eps: float = 1e-5) -> torch.Tensor:
    n = x.shape[-1]
    mu = x.sum(-1, keepdim=True) / n
    centred = x - mu
    var = (centred * centred).sum(-1, keepdim=True) / n
    return centred / (var + eps) * gamma + beta
