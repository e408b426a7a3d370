# contract: rms-norm
import torch


def rms_norm(x: torch.Tensor, weight: torch.Tensor, eps: float = 1e-5) -> torch.Tensor:
    d = x.shape[-1]
    sum_sq = torch.einsum("...d,...d->...", x, x)
    rms = torch.sqrt(sum_sq / d + eps)
    return x / rms[..., None] * weight
