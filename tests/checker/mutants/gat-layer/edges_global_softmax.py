# contract: gat-layer
# cause: softmax-all-edges
import torch
import torch.nn as nn
import torch.nn.functional as F


class GATLayer(nn.Module):
    def __init__(self, in_dim, out_dim, heads=1):
        super().__init__()
        self.heads, self.out_dim = heads, out_dim
        self.lin = nn.Linear(in_dim, heads * out_dim, bias=False)
        self.att_src = nn.Parameter(torch.randn(heads, out_dim) * 0.1)
        self.att_dst = nn.Parameter(torch.randn(heads, out_dim) * 0.1)

    def forward(self, x, edge_index):
        src, dst = edge_index
        h = self.lin(x).view(-1, self.heads, self.out_dim)
        e = (h * self.att_src).sum(-1)[src] + (h * self.att_dst).sum(-1)[dst]
        e = F.leaky_relu(e, 0.2)
        alpha = F.softmax(e, dim=0)
        out = torch.zeros_like(h).index_add(0, dst, alpha.unsqueeze(-1) * h[src])
        return out.flatten(1)
