# contract: gat-layer
# cause: direction-reversed
import torch
import torch.nn as nn
import torch.nn.functional as F


class GATLayer(nn.Module):
    def __init__(self, in_channels, out_channels, heads=1, negative_slope=0.2):
        super().__init__()
        self.heads, self.out_channels, self.negative_slope = heads, out_channels, negative_slope
        self.lin = nn.Linear(in_channels, heads * out_channels, bias=False)
        self.att_i = nn.Parameter(torch.empty(heads, out_channels))
        self.att_j = nn.Parameter(torch.empty(heads, out_channels))
        nn.init.xavier_uniform_(self.att_i)
        nn.init.xavier_uniform_(self.att_j)

    def forward(self, x, edge_index):
        n = x.size(0)
        h = self.lin(x).view(n, self.heads, self.out_channels)
        i, j = edge_index  # i gathers from j
        e = (h * self.att_i).sum(-1)[i] + (h * self.att_j).sum(-1)[j]
        e = F.leaky_relu(e, self.negative_slope)
        e = (e - e.max()).exp()
        total = torch.zeros(n, self.heads, dtype=x.dtype, device=x.device).index_add_(0, i, e)
        alpha = e / total[i].clamp_min(1e-300 if x.dtype == torch.float64 else 1e-30)
        out = torch.zeros_like(h).index_add_(0, i, alpha.unsqueeze(-1) * h[j])
        return out.flatten(1)
