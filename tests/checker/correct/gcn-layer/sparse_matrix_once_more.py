# contract: gcn-layer
import torch
from torch import nn


def gcn_matrix(edge_index, n, dtype):
    src, dst = edge_index
    keep = src != dst
    own = torch.arange(n, device=edge_index.device)
    src, dst = torch.cat((src[keep], own)), torch.cat((dst[keep], own))
    deg = torch.zeros(n, dtype=dtype, device=edge_index.device).scatter_add_(0, dst, torch.ones_like(dst, dtype=dtype))
    values = 1 / torch.sqrt(deg[src] * deg[dst])
    return torch.sparse_coo_tensor(torch.stack((dst, src)), values, (n, n)).coalesce()


class GCNLayer(nn.Module):
    def __init__(self, in_features: int, out_features: int, bias: bool = True):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(in_features, out_features))
        self.bias = nn.Parameter(torch.zeros(out_features)) if bias else None
        nn.init.xavier_uniform_(self.weight)

    def forward(self, x, edge_index):
        out = torch.sparse.mm(gcn_matrix(edge_index, x.shape[0], x.dtype), x @ self.weight)
        return out if self.bias is None else out + self.bias
