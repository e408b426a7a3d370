# contract: gat-layer
# cause: softmax-unstable
import torch
from torch import nn


class AttentionHeadGraph(nn.Module):
    def __init__(self, in_size, out_size, heads=1, leak=0.2):
        super().__init__()
        self.heads = heads
        self.out_size = out_size
        self.leak = nn.LeakyReLU(leak)
        self.weight = nn.Parameter(torch.empty(in_size, heads * out_size))
        self.att = nn.Parameter(torch.empty(heads, 2 * out_size))
        nn.init.xavier_uniform_(self.weight)
        nn.init.xavier_uniform_(self.att)

    def forward(self, x, edge_index):
        row, col = edge_index
        h = torch.matmul(x, self.weight).view(-1, self.heads, self.out_size)
        cat = torch.cat([h.index_select(0, col), h.index_select(0, row)], dim=2)
        score = self.leak(torch.einsum("ehk,hk->eh", cat, self.att))
        unnormalised = score.exp()
        norm = torch.zeros(x.size(0), self.heads, dtype=x.dtype)
        norm.index_add_(0, col, unnormalised)
        coefficients = unnormalised / norm[col]
        result = torch.zeros_like(h)
        result.index_add_(0, col, coefficients[:, :, None] * h[row])
        return result.view(x.size(0), -1)
