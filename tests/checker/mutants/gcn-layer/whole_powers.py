# contract: gcn-layer
# cause: root-missing
import torch
from torch import nn


class GCN(nn.Module):
    def __init__(self, in_channels: int, out_channels: int):
        super().__init__()
        self.theta = nn.Parameter(torch.randn(in_channels, out_channels) / in_channels**0.5)
        self.b = nn.Parameter(torch.zeros(out_channels))

    def normalize(self, A):
        I = torch.eye(A.shape[0], device=A.device, dtype=A.dtype)
        A_hat = ((A + I) > 0).to(A.dtype)
        D = torch.diag(1.0 / A_hat.sum(dim=1))
        return D @ A_hat @ D

    def forward(self, X, A):
        return self.normalize(A) @ X @ self.theta + self.b
