# contract: gat-layer
# cause: softmax-unstable
import torch
import torch.nn as nn
import torch.nn.functional as F


class GATLayer(nn.Module):
    def __init__(self, in_dim, out_dim, heads=2):
        super().__init__()
        self.heads, self.out_dim = heads, out_dim
        self.fc = nn.Linear(in_dim, heads * out_dim, bias=False)
        self.att_src = nn.Parameter(torch.randn(1, heads, out_dim) * 0.1)
        self.att_dst = nn.Parameter(torch.randn(1, heads, out_dim) * 0.1)

    def forward(self, x, edge_index):
        src, dst = edge_index
        n = x.shape[0]
        z = self.fc(x).view(n, self.heads, self.out_dim)
        e = F.leaky_relu((z * self.att_src).sum(-1)[src] + (z * self.att_dst).sum(-1)[dst], 0.2)
        e = torch.exp(e)
        s = torch.zeros(n, self.heads, dtype=x.dtype).index_add(0, dst, e)
        alpha = e / (s[dst] + 1e-16)
        return torch.zeros_like(z).index_add(0, dst, alpha.unsqueeze(-1) * z[src]).flatten(1)
