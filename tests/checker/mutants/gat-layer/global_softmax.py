# contract: gat-layer
# cause: softmax-all-edges,leaky-missing
import torch
from torch import nn


class GraphAttention(nn.Module):
    """Graph attention (GAT) on an edge list: row 0 sources, row 1 targets."""

    def __init__(self, in_channels, out_channels, heads=1):
        super().__init__()
        self.heads = heads
        self.out_channels = out_channels
        self.lin = nn.Linear(in_channels, heads * out_channels, bias=False)
        self.att_src = nn.Parameter(torch.randn(heads, out_channels) * 0.3)
        self.att_dst = nn.Parameter(torch.randn(heads, out_channels) * 0.3)

    def forward(self, x, edge_index):
        n = x.size(0)
        edge_index = edge_index[:, edge_index[0] != edge_index[1]]
        loops = torch.arange(n, device=x.device)
        src = torch.cat([edge_index[0], loops])
        dst = torch.cat([edge_index[1], loops])
        z = self.lin(x).view(n, self.heads, self.out_channels)
        e = (z * self.att_src).sum(-1)[src] + (z * self.att_dst).sum(-1)[dst]
        alpha = torch.softmax(e, dim=0)
        out = torch.zeros_like(z)
        out.index_add_(0, dst, alpha[..., None] * z[src])
        return out.reshape(n, -1)
