# contract: gcn-layer
# cause: row-normalised
import torch
from torch import nn


class GCNLayer(nn.Module):
    def __init__(self, in_dim, out_dim):
        super().__init__()
        self.W = nn.Linear(in_dim, out_dim, bias=False)

    def forward(self, x, edge_index):
        n = x.size(0)
        source, target = edge_index
        keep = source != target
        loops = torch.arange(n, device=x.device)
        source, target = torch.cat([source[keep], loops]), torch.cat([target[keep], loops])
        degree = torch.bincount(target, minlength=n).to(x.dtype)
        values = 1.0 / degree[target]
        A = torch.sparse_coo_tensor(torch.stack([target, source]), values, (n, n))
        return torch.sparse.mm(A, self.W(x))
