# contract: rotary
import torch


def half_turn(x: torch.Tensor) -> torch.Tensor:
    left, right = x.chunk(2, dim=-1)
    return torch.cat((-right, left), dim=-1)


class RotaryTables(torch.nn.Module):
    """Cosines and sines for queries, keys and values at once: those of the values turn nothing."""

    def __init__(self, dim: int, base: float = 10000.0) -> None:
        super().__init__()
        self.register_buffer("rates", base ** (-torch.arange(0, dim, 2).double() / dim))

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        angles = torch.outer(torch.arange(x.shape[1], device=x.device).double(), self.rates)
        angles = torch.cat((angles, angles), dim=-1)
        still = torch.zeros_like(angles)
        whole = torch.stack((angles, angles, still), dim=1)[None, :, :, None]
        return whole.cos(), whole.sin()


def apply_rotary(qkv: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor) -> torch.Tensor:
    """qkv is (batch, tokens, 3, heads, channels)."""
    return qkv * cos + half_turn(qkv) * sin
