# contract: gcn-layer
# cause: laplacian
import torch
from torch import nn


class Graphfaltung(nn.Module):
    """GCN-Schicht auf der dichten Adjazenzmatrix."""

    def __init__(self, in_dim, out_dim):
        super().__init__()
        self.gewicht = nn.Parameter(torch.empty(in_dim, out_dim))
        self.bias = nn.Parameter(torch.zeros(out_dim))
        nn.init.kaiming_uniform_(self.gewicht)

    def forward(self, x, adj):
        eins = torch.eye(len(x), dtype=x.dtype, device=x.device)
        a = torch.where(eins > 0, eins, adj.to(x.dtype))
        d = a.sum(dim=1).rsqrt()
        operator = eins - d[:, None] * a * d[None, :]
        return operator @ x @ self.gewicht + self.bias
