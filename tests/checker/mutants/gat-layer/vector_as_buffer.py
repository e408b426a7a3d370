# contract: gat-layer
# cause: weights-unregistered
import torch
import torch.nn as nn
import torch.nn.functional as F


class GraphAttentionLayer(nn.Module):
    """Multi-head graph attention on a dense adjacency matrix (adj[i, j] = 1 when i attends to j)."""

    def __init__(self, in_dim, out_dim, n_heads, dropout=0.0, slope=0.2):
        super().__init__()
        self.n_heads = n_heads
        self.out_dim = out_dim
        self.proj = nn.Linear(in_dim, n_heads * out_dim, bias=False)
        self.att_self = nn.Parameter(torch.randn(n_heads, out_dim) * 0.1)
        self.register_buffer("att_neigh", torch.randn(n_heads, out_dim) * 0.1)
        self.drop = nn.Dropout(dropout)
        self.act = nn.LeakyReLU(slope)

    def forward(self, x, adj):
        n = x.size(0)
        h = self.proj(x).view(n, self.n_heads, self.out_dim)
        left = torch.einsum("nhd,hd->hn", h, self.att_self)
        right = torch.einsum("nhd,hd->hn", h, self.att_neigh)
        e = self.act(left.unsqueeze(2) + right.unsqueeze(1))
        e = e.masked_fill(adj.unsqueeze(0) == 0, float("-inf"))
        alpha = torch.softmax(e, dim=-1)
        alpha = torch.nan_to_num(alpha)
        alpha = self.drop(alpha)
        out = torch.einsum("hij,jhd->ihd", alpha, h)
        return out.reshape(n, -1)
