# contract: gcn-layer
# cause: weights-unregistered
from dataclasses import dataclass

import torch
import torch.nn as nn


@dataclass
class GCNConfig:
    in_channels: int = 16
    hidden: int = 16
    use_bias: bool = True


class GCNBlock(nn.Module):
    def __init__(self, config: GCNConfig):
        super().__init__()
        self.theta = nn.Parameter(torch.randn(config.in_channels, config.hidden) * 0.1)
        self.beta = torch.zeros(config.hidden)

    def forward(self, x, adj):
        a_hat = ((adj + torch.eye(len(adj), dtype=adj.dtype)) > 0).to(x.dtype)
        deg = torch.einsum("ij->i", a_hat)
        coef = torch.einsum("i,ij,j->ij", deg.rsqrt(), a_hat, deg.rsqrt())
        return torch.einsum("ij,jf,fo->io", coef, x, self.theta) + self.beta
