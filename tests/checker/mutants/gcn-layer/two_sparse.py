# contract: gcn-layer
# cause: left-only
import torch
from torch import nn


class SparseGCN(nn.Module):
    def __init__(self, in_size, out_size):
        super().__init__()
        self.linear = nn.Linear(in_size, out_size)

    def forward(self, x, edge_index):
        n = x.size(0)
        idx = torch.cat([edge_index, torch.arange(n).repeat(2, 1)], dim=1)
        val = torch.ones(idx.size(1), dtype=x.dtype)
        A = torch.sparse_coo_tensor(idx.flip(0), val, (n, n)).coalesce()
        deg = torch.sparse.sum(A, dim=1).to_dense()
        s = deg.pow(-0.5).unsqueeze(1)
        h = self.linear(x)
        return s * torch.sparse.mm(A, h)
