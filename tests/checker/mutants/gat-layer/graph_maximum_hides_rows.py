# contract: gat-layer
# cause: softmax-unstable
import torch
import torch.nn as nn
import torch.nn.functional as F


class SparseGAT(nn.Module):
    def __init__(self, in_size, out_size, heads):
        super().__init__()
        self.heads, self.out_size = heads, out_size
        self.lin = nn.Linear(in_size, heads * out_size, bias=False)
        self.att_i = nn.Parameter(torch.randn(heads, out_size) * 0.1)
        self.att_j = nn.Parameter(torch.randn(heads, out_size) * 0.1)

    def forward(self, x, edge_index):
        j, i = edge_index
        n = x.shape[0]
        h = self.lin(x).view(n, self.heads, self.out_size)
        e = F.leaky_relu(
            (h @ self.att_i.t()).diagonal(dim1=1, dim2=2)[i]
            + (h @ self.att_j.t()).diagonal(dim1=1, dim2=2)[j],
            0.2,
        )
        e = e - e.max()
        p = torch.exp(e)
        z = p.new_zeros(n, self.heads).index_add(0, i, p)
        y = h.new_zeros(h.shape).index_add(0, i, p[..., None] * h[j])
        y = y / (z + (z == 0))[..., None]
        return y.flatten(1)
