# contract: gat-layer
# cause: softmax-all-edges
import torch
import torch.nn as nn
import torch.nn.functional as F


class GAT(nn.Module):
    def __init__(self, inputs, outputs, heads=2):
        super().__init__()
        self.heads, self.outputs = heads, outputs
        self.W = nn.Parameter(torch.randn(inputs, heads * outputs) / inputs**0.5)
        self.a = nn.Parameter(torch.randn(heads, 2 * outputs) / outputs**0.5)

    def forward(self, x, edge_index):
        src, dst = edge_index[0], edge_index[1]
        h = (x @ self.W).reshape(-1, self.heads, self.outputs)
        pair = torch.cat([h[dst], h[src]], dim=-1)
        e = F.leaky_relu(torch.einsum("ehd,hd->eh", pair, self.a), 0.2)
        w = torch.softmax(e, dim=0)
        y = torch.zeros_like(h)
        y.index_add_(0, dst, w[..., None] * h[src])
        return y.reshape(x.shape[0], -1)
