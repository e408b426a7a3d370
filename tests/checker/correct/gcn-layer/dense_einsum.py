# contract: gcn-layer
import torch
from torch import nn


class GraphConv(nn.Module):
    def __init__(self, in_dim, out_dim):
        super().__init__()
        self.theta = nn.Parameter(torch.randn(in_dim, out_dim) * in_dim**-0.5)
        self.bias = nn.Parameter(torch.zeros(out_dim))

    def forward(self, x, adj):
        n = adj.shape[0]
        a = torch.maximum(adj.to(x.dtype), torch.eye(n, dtype=x.dtype, device=x.device))
        d = a.sum(1).pow(-0.5)
        return torch.einsum("i,ij,j,jf,fo->io", d, a, d, x, self.theta) + self.bias
