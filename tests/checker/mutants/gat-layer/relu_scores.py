# contract: gat-layer
# cause: relu-for-leaky
import torch
import torch.nn as nn
import torch.nn.functional as F


class GATConv(nn.Module):
    def __init__(self, in_channels, out_channels, heads=1):
        super().__init__()
        self.heads, self.out_channels = heads, out_channels
        self.lin = nn.Linear(in_channels, heads * out_channels, bias=False)
        self.att_src = nn.Parameter(torch.randn(1, heads, out_channels) * 0.3)
        self.att_dst = nn.Parameter(torch.randn(1, heads, out_channels) * 0.3)

    def forward(self, x, edge_index):
        n = x.size(0)
        src, dst = edge_index
        h = self.lin(x).view(n, self.heads, self.out_channels)
        s = F.relu((h[src] * self.att_src).sum(-1) + (h[dst] * self.att_dst).sum(-1))
        out = []
        for i in range(n):
            pick = dst == i
            w = torch.softmax(s[pick], dim=0)
            out.append((w.unsqueeze(-1) * h[src[pick]]).sum(0))
        return torch.stack(out).view(n, -1)
