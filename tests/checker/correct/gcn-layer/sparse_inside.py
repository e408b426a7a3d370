# contract: gcn-layer
import torch
import torch.nn as nn


class SparseGCN(nn.Module):
    """Graph convolution with a sparse COO adjacency that is normalised inside."""

    def __init__(self, in_dim, out_dim):
        super().__init__()
        self.linear = nn.Linear(in_dim, out_dim)

    @staticmethod
    def normalise(adj):
        adj = adj.coalesce()
        n = adj.shape[0]
        idx, val = adj.indices(), adj.values()
        off = idx[0] != idx[1]
        loop = torch.arange(n)
        idx = torch.cat([idx[:, off], torch.stack([loop, loop])], 1)
        val = torch.cat([val[off], val.new_ones(n)])
        deg = val.new_zeros(n).index_add_(0, idx[0], val)
        inv = deg.pow(-0.5)
        return torch.sparse_coo_tensor(idx, inv[idx[0]] * val * inv[idx[1]], (n, n))

    def forward(self, x, adj):
        a = self.normalise(adj)
        return torch.sparse.mm(a, x @ self.linear.weight.t()) + self.linear.bias
