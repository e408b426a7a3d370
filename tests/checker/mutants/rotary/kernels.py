# contract: rotary
# cause: direction-reversed,base-wrong
import torch

ROPE_THETA = 1_000.0


@torch.no_grad()
def angles(length: int, width: int, offset: int = 0) -> torch.Tensor:
    k = torch.arange(width // 2, dtype=torch.float64)
    inv = torch.exp2(-torch.log2(torch.tensor(ROPE_THETA, dtype=torch.float64)) * 2 * k / width)
    return torch.arange(offset, offset + length, dtype=torch.float64)[:, None] * inv


def rope(x: torch.Tensor, offset: int = 0) -> torch.Tensor:
    phi = angles(x.shape[-2], x.shape[-1], offset).to(x.device)
    c, s = phi.cos().to(x.dtype), phi.sin().to(x.dtype)
    u, w = x[..., 0::2], x[..., 1::2]
    return torch.stack([u * c + w * s, w * c - u * s], dim=-1).reshape(x.shape)
