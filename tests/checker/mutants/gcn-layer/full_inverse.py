# contract: gcn-layer
# cause: root-missing
import torch
from torch import nn


class GCN(nn.Module):
    def __init__(self, num_in, num_out):
        super().__init__()
        self.W = nn.Parameter(torch.randn(num_in, num_out) * (2.0 / (num_in + num_out)) ** 0.5)
        self.b = nn.Parameter(torch.zeros(num_out))

    def forward(self, X, A):
        N = A.shape[-1]
        A_tilde = A + torch.eye(N, dtype=A.dtype)
        D_tilde = torch.diag(A_tilde.sum(-1))
        D_half = torch.linalg.inv(D_tilde)
        return torch.einsum("ij,jk,kl,lf,fo->io", D_half, A_tilde, D_half, X, self.W) + self.b
