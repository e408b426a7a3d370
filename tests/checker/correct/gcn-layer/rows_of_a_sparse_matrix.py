# contract: gcn-layer
import torch
import torch.nn as nn


class GraphConv(nn.Module):
    """CSR adjacency (torch.sparse_csr) of the plain graph; loops and normalisation inside."""

    def __init__(self, in_feats, out_feats):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(in_feats, out_feats) * 0.1)
        self.bias = nn.Parameter(torch.zeros(out_feats))

    def forward(self, x, adj):
        crow, col = adj.crow_indices(), adj.col_indices()
        n = crow.numel() - 1
        row = torch.repeat_interleave(torch.arange(n), crow[1:] - crow[:-1])
        keep = row != col
        row, col = torch.cat([row[keep], torch.arange(n)]), torch.cat([col[keep], torch.arange(n)])
        deg = torch.bincount(row, minlength=n).to(x.dtype)
        c = (deg[row] * deg[col]) ** -0.5
        h = x @ self.weight
        return torch.zeros_like(h).index_add(0, row, c[:, None] * h[col]) + self.bias
