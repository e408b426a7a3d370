# contract: gat-layer
# cause: softmax-missing
import torch
import torch.nn as nn
import torch.nn.functional as F


class GAT(nn.Module):
    def __init__(self, in_channels, out_channels, heads=1):
        super().__init__()
        self.h, self.f = heads, out_channels
        self.lin = nn.Linear(in_channels, heads * out_channels, bias=False)
        self.att_src = nn.Parameter(torch.randn(1, heads, out_channels))
        self.att_dst = nn.Parameter(torch.randn(1, heads, out_channels))

    def forward(self, x, edge_index):
        j, i = edge_index
        z = self.lin(x).view(-1, self.h, self.f)
        w = F.leaky_relu((z[j] * self.att_src).sum(-1) + (z[i] * self.att_dst).sum(-1), negative_slope=0.2)
        return torch.zeros_like(z).index_add_(0, i, w[..., None] * z[j]).view(x.size(0), -1)
