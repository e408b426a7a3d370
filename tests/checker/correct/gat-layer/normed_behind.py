# contract: gat-layer
import torch
from torch import nn


class NormedGATLayer(nn.Module):
    """Graph attention on a dense adjacency; a layer norm follows the heads."""

    def __init__(self, n_in: int, n_out: int, heads: int = 4, drop: float = 0.1) -> None:
        super().__init__()
        self.maps = nn.Parameter(torch.randn(heads, n_in, n_out) * 0.3)
        self.att = nn.Parameter(torch.randn(heads, 2 * n_out, 1) * 0.3)
        self.norm = nn.LayerNorm(heads * n_out)
        self.drop, self.leaky = nn.Dropout(drop), nn.LeakyReLU(0.2)

    def forward(self, x: torch.Tensor, adj: torch.Tensor) -> torch.Tensor:
        found = []
        for one, vector in zip(self.maps, self.att, strict=True):
            h = x @ one
            own, other = (h @ half for half in vector.chunk(2))
            scores = self.leaky(own + other.T).masked_fill(adj == 0, float("-inf"))
            found.append(self.drop(scores.softmax(1)) @ h)
        return self.norm(torch.cat(found, 1))
