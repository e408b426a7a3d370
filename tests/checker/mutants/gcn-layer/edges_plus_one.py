# contract: gcn-layer
# cause: self-loops-missing
import torch
from torch import nn


class GCNLayer(nn.Module):
    def __init__(self, in_features, out_features, bias=True):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(in_features, out_features))
        self.bias = nn.Parameter(torch.zeros(out_features)) if bias else None
        nn.init.xavier_uniform_(self.weight)

    def forward(self, x, edge_index):
        src, dst = edge_index
        n = x.size(0)
        h = x @ self.weight

        # degree of A + I
        deg = torch.ones(n, dtype=x.dtype, device=x.device)
        deg = deg.index_add(0, dst, torch.ones(dst.numel(), dtype=x.dtype, device=x.device))
        dis = deg.rsqrt()

        coef = dis[src] * dis[dst]
        out = torch.zeros_like(h).index_add(0, dst, coef.unsqueeze(1) * h[src])
        if self.bias is not None:
            out = out + self.bias
        return out
