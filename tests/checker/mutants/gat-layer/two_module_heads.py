# contract: gat-layer
# cause: leaky-slope,heads-averaged
import torch
from torch import nn
import torch.nn.functional as F


class SingleHead(nn.Module):
    def __init__(self, in_dim, out_dim):
        super().__init__()
        self.fc = nn.Linear(in_dim, out_dim, bias=False)
        self.attn_fc = nn.Linear(2 * out_dim, 1, bias=False)

    def forward(self, x, adj):
        z = self.fc(x)
        n = z.shape[0]
        zi = z.unsqueeze(1).expand(n, n, -1)
        zj = z.unsqueeze(0).expand(n, n, -1)
        e = F.leaky_relu(self.attn_fc(torch.cat((zi, zj), dim=2)).squeeze(-1))
        neigh = adj.bool() | torch.eye(n, dtype=torch.bool)
        w = torch.softmax(e.masked_fill(~neigh, float("-inf")), dim=1)
        return w @ z


class MultiHeadGATLayer(nn.Module):
    """Every node attends to its neighbours and itself; outputs of the heads are concatenated."""

    def __init__(self, in_dim, out_dim, num_heads=2):
        super().__init__()
        self.heads = nn.ModuleList(SingleHead(in_dim, out_dim) for _ in range(num_heads))

    def forward(self, x, adj):
        outs = [head(x, adj) for head in self.heads]
        return torch.stack(outs).mean(0)
