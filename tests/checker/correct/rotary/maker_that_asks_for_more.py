# contract: rotary
# target: apply_rope
import torch


def apply_rope(x, cos, sin):
    """Turns (b, h, n, d) by tables of one number for each pair."""
    one, two = x[..., ::2], x[..., 1::2]
    return torch.stack([one * cos - two * sin, one * sin + two * cos], -1).flatten(-2)


def stretched_freqs(head_dim: int, theta: float, factor: float, trained_for: int):
    """Frequencies for texts that are longer than those of the training."""
    if trained_for <= 0:
        raise ValueError("a positive length is wanted")
    freqs = theta ** (-torch.arange(0, head_dim, 2) / head_dim)
    return torch.where(freqs * trained_for < 1, freqs / factor, freqs)
