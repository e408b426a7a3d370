# contract: gat-layer
# cause: leaky-slope
import torch
import torch.nn as nn
import torch.nn.functional as F


class GATHead(nn.Module):
    def __init__(self, fin, fout):
        super().__init__()
        self.W = nn.Linear(fin, fout, bias=False)
        self.a1 = nn.Linear(fout, 1, bias=False)
        self.a2 = nn.Linear(fout, 1, bias=False)

    def forward(self, x, adj):
        h = self.W(x)
        e = F.leaky_relu(self.a1(h) + self.a2(h).T)
        e = e.masked_fill(adj == 0, float("-1e10"))
        return torch.softmax(e, dim=-1) @ h


class GATLayer(nn.Module):
    def __init__(self, in_features, out_features, heads=2):
        super().__init__()
        self.heads = nn.ModuleList(GATHead(in_features, out_features) for _ in range(heads))

    def forward(self, x, adj):
        adj = adj.squeeze(-1) if adj.dim() == 3 else adj
        return torch.cat([head(x, adj) for head in self.heads], dim=1)
