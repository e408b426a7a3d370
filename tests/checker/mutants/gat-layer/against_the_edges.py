# contract: gat-layer
# cause: direction-reversed
import torch
from torch import nn
from torch_geometric.utils import softmax


class GAT(nn.Module):
    """One graph attention layer. edge_index[0] are sources, edge_index[1] are targets."""

    def __init__(self, in_dim: int, out_dim: int, num_heads: int = 1, negative_slope: float = 0.2):
        super().__init__()
        self.num_heads, self.out_dim, self.negative_slope = num_heads, out_dim, negative_slope
        self.fc = nn.Linear(in_dim, num_heads * out_dim, bias=False)
        self.attn_own = nn.Parameter(torch.randn(num_heads, out_dim) * 0.1)
        self.attn_other = nn.Parameter(torch.randn(num_heads, out_dim) * 0.1)
        self.bias = nn.Parameter(torch.zeros(num_heads * out_dim))

    def forward(self, x, edge_index):
        n = x.size(0)
        i, j = edge_index[0], edge_index[1]
        h = self.fc(x).view(n, self.num_heads, self.out_dim)
        own = torch.einsum("nhd,hd->nh", h, self.attn_own)
        other = torch.einsum("nhd,hd->nh", h, self.attn_other)
        e = nn.functional.leaky_relu(own[i] + other[j], self.negative_slope)
        w = softmax(e, i, num_nodes=n)
        y = torch.zeros_like(h).index_add_(0, i, w.unsqueeze(-1) * h[j])
        return y.flatten(1) + self.bias
