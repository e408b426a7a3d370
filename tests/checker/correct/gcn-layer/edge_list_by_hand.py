# contract: gcn-layer
import torch
import torch.nn as nn


class GCNConv(nn.Module):
    def __init__(self, in_channels, out_channels):
        super().__init__()
        self.lin = nn.Linear(in_channels, out_channels, bias=False)
        self.bias = nn.Parameter(torch.zeros(out_channels))

    def forward(self, x, edge_index):
        n = x.size(0)
        keep = edge_index[0] != edge_index[1]
        loops = torch.arange(n, device=x.device)
        src = torch.cat([edge_index[0][keep], loops])
        dst = torch.cat([edge_index[1][keep], loops])
        deg = torch.bincount(dst, minlength=n).to(x.dtype)
        norm = (deg[src] * deg[dst]).rsqrt()
        h = self.lin(x)
        return torch.zeros_like(h).index_add(0, dst, norm[:, None] * h[src]) + self.bias
