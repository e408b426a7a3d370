# contract: gat-layer
# cause: leaky-before-vector
import torch
from torch import nn


class GraphAttentionLayer(nn.Module):
    def __init__(self, in_features: int, out_features: int, n_heads: int = 1):
        super().__init__()
        self.n_heads, self.d = n_heads, out_features
        self.project = nn.Linear(in_features, n_heads * out_features, bias=False)
        self.attn_self = nn.Parameter(torch.randn(n_heads, out_features) * 0.1)
        self.attn_neigh = nn.Parameter(torch.randn(n_heads, out_features) * 0.1)
        self.activation = nn.LeakyReLU(0.2)

    def forward(self, h, adj):
        z = self.project(h).view(-1, self.n_heads, self.d)
        bent = self.activation(z)
        mine = torch.einsum("ihd,hd->hi", bent, self.attn_self)
        theirs = torch.einsum("jhd,hd->hj", bent, self.attn_neigh)
        scores = mine[:, :, None] + theirs[:, None, :]
        scores = torch.where(adj > 0, scores, torch.full_like(scores, -1e12))
        return torch.einsum("hij,jhd->ihd", scores.softmax(dim=2), z).flatten(1)
