# contract: gat-layer
# cause: softmax-sources,relu-for-leaky
import torch
from torch import nn
from torch.nn import functional as F
from torch_geometric.utils import softmax


class GATLayer(nn.Module):
    """One graph attention layer; edge_index[0] are sources, edge_index[1] targets."""

    def __init__(self, inputs, outputs, heads=1):
        super().__init__()
        self.inputs, self.outputs, self.heads = inputs, outputs, heads
        self.W = nn.Parameter(torch.empty(inputs, heads * outputs))
        self.a = nn.Parameter(torch.empty(heads, 2 * outputs))
        self.bias = nn.Parameter(torch.zeros(heads * outputs))
        for p in (self.W, self.a):
            nn.init.xavier_uniform_(p)

    def forward(self, x, edge_index):
        j, i = edge_index[0], edge_index[1]
        Wx = (x @ self.W).unflatten(1, (self.heads, self.outputs))
        e = F.relu(torch.einsum("ehk,hk->eh", torch.cat((Wx[i], Wx[j]), -1), self.a))
        w = softmax(e, j, num_nodes=len(x))
        y = torch.zeros_like(Wx)
        y.index_add_(0, i, w.unsqueeze(2) * Wx[j])
        return y.flatten(1) + self.bias
