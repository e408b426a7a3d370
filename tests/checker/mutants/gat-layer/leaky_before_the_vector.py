# contract: gat-layer
# cause: leaky-before-vector
import torch
import torch.nn as nn
import torch.nn.functional as F


class GATLayer(nn.Module):
    """GAT (Velickovic et al. 2018): e_ij = LeakyReLU(a . [W x_i, W x_j])."""

    def __init__(self, inputs, outputs, heads=1, slope=0.2):
        super().__init__()
        self.heads, self.slope = heads, slope
        self.W = nn.Parameter(torch.empty(inputs, heads * outputs))
        self.a = nn.Parameter(torch.empty(heads, 2 * outputs))
        nn.init.xavier_uniform_(self.W)
        nn.init.xavier_uniform_(self.a)

    def forward(self, x, edge_index):
        n = x.shape[0]
        h = (x @ self.W).view(n, self.heads, -1)
        src, dst = edge_index
        pair = F.leaky_relu(torch.cat([h[dst], h[src]], dim=-1), self.slope)
        e = (pair * self.a).sum(-1)
        top = torch.full((n, self.heads), float("-inf"), dtype=x.dtype, device=x.device)
        top = top.scatter_reduce(0, dst[:, None].expand_as(e), e, reduce="amax")
        p = (e - top[dst]).exp()
        z = torch.zeros(n, self.heads, dtype=x.dtype, device=x.device).index_add(0, dst, p)
        w = p / z[dst]
        return torch.zeros_like(h).index_add(0, dst, w.unsqueeze(-1) * h[src]).flatten(1)
