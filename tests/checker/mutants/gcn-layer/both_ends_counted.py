# contract: gcn-layer
# cause: unknown
import torch
from torch import nn


def with_loops(edge_index, n):
    edges = edge_index[:, edge_index[0].ne(edge_index[1])]
    own = torch.arange(n, device=edge_index.device)
    return torch.cat([edges, torch.stack([own, own])], dim=1)


class GCNLayer(nn.Module):
    def __init__(self, in_feats, out_feats):
        super().__init__()
        self.linear = nn.Linear(in_feats, out_feats, bias=False)
        self.bias = nn.Parameter(torch.zeros(out_feats))

    def forward(self, x, edge_index):
        n = x.shape[0]
        edges = with_loops(edge_index, n)
        degree = torch.bincount(edges.flatten(), minlength=n)
        scale = degree.to(x.dtype).rsqrt().unsqueeze(1)
        h = self.linear(x) * scale
        y = torch.zeros_like(h).index_add(0, edges[1], h[edges[0]])
        return y * scale + self.bias
