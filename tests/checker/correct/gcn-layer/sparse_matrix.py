# contract: gcn-layer
import torch
import torch.nn as nn


class GraphConvolution(nn.Module):
    def __init__(self, in_features, out_features, bias=True):
        super().__init__()
        self.linear = nn.Linear(in_features, out_features, bias=False)
        if bias:
            self.bias = nn.Parameter(torch.zeros(out_features))
        else:
            self.register_parameter('bias', None)

    def normalised(self, edge_index, n, dtype):
        loops = torch.arange(n)
        src = torch.cat([edge_index[0], loops])
        dst = torch.cat([edge_index[1], loops])
        deg = torch.zeros(n, dtype=dtype).scatter_add_(0, dst, torch.ones(dst.numel(), dtype=dtype))
        val = (deg[src] * deg[dst]).rsqrt()
        return torch.sparse_coo_tensor(torch.stack([dst, src]), val, (n, n))

    def forward(self, x, edge_index):
        out = torch.sparse.mm(self.normalised(edge_index, x.size(0), x.dtype), self.linear(x))
        return out if self.bias is None else out + self.bias
