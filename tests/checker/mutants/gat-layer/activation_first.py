# contract: gat-layer
# cause: leaky-before-vector
import torch
from torch import nn
from torch.nn import functional as F
from torch_geometric.utils import softmax


class GATLayer(nn.Module):
    """The original graph attention layer: LeakyReLU(a . [W x_i, W x_j])."""

    def __init__(self, inputs: int, outputs: int, heads: int = 1, slope: float = 0.2) -> None:
        super().__init__()
        self.heads, self.slope = heads, slope
        self.W = nn.Parameter(torch.empty(inputs, heads * outputs))
        self.a = nn.Parameter(torch.empty(heads, 2 * outputs))
        self.bias = nn.Parameter(torch.zeros(heads * outputs))
        nn.init.xavier_uniform_(self.W)
        nn.init.xavier_uniform_(self.a)

    def forward(self, x, edge_index):
        n = x.size(0)
        h = (x @ self.W).view(n, self.heads, -1)
        z = torch.cat([h[edge_index[1]], h[edge_index[0]]], dim=-1)
        e = (F.leaky_relu(z, self.slope) * self.a).sum(-1)
        w = softmax(e, edge_index[1], num_nodes=n)
        y = torch.zeros_like(h)
        y.index_add_(0, edge_index[1], w[..., None] * h[edge_index[0]])
        return y.flatten(1) + self.bias
