# contract: gat-layer
# cause: direction-reversed
import torch
from torch import nn
import torch.nn.functional as F


class GATLayer(nn.Module):
    def __init__(self, in_features: int, out_features: int, heads: int = 1, negative_slope: float = 0.2):
        super().__init__()
        self.h, self.d, self.slope = heads, out_features, negative_slope
        self.W = nn.Parameter(torch.empty(in_features, heads * out_features))
        self.a = nn.Parameter(torch.empty(heads, 2 * out_features))
        nn.init.xavier_uniform_(self.W)
        nn.init.xavier_uniform_(self.a)

    def forward(self, x: torch.Tensor, edge_index: torch.Tensor) -> torch.Tensor:
        n = x.size(0)
        dst, src = edge_index
        z = (x @ self.W).view(n, self.h, self.d)
        pair = torch.cat([z[dst], z[src]], dim=-1)
        e = F.leaky_relu((pair * self.a).sum(-1), self.slope)

        top = torch.full((n, self.h), float("-inf"), dtype=x.dtype, device=x.device)
        top = top.scatter_reduce(0, dst[:, None].expand_as(e), e, reduce="amax")
        p = (e - top[dst]).exp()
        total = torch.zeros(n, self.h, dtype=x.dtype, device=x.device).index_add(0, dst, p)
        w = p / total[dst]

        out = torch.zeros_like(z).index_add(0, dst, w.unsqueeze(-1) * z[src])
        return out.reshape(n, self.h * self.d)
