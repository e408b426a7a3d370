# contract: multi-head-attention
import torch
from torch import nn


class AttentionHead(nn.Module):
    """A single head, as wide as it is told; mask is zero where a key is hidden."""

    def __init__(self, d_model: int, head_dim: int):
        super().__init__()
        self.root = head_dim**0.5
        self.q, self.k, self.v = (nn.Linear(d_model, head_dim, bias=False) for _ in range(3))

    def forward(self, x: torch.Tensor, mask: torch.Tensor | None = None):
        scores = self.q(x) @ self.k(x).transpose(-2, -1) / self.root
        if mask is not None:
            scores = scores.masked_fill(mask == 0, float("-inf"))
        return torch.softmax(scores, dim=-1) @ self.v(x)
