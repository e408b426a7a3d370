# contract: gat-layer
import torch
import torch.nn as nn
import torch.nn.functional as F


class Head(nn.Module):
    def __init__(self, fin, fout, slope):
        super().__init__()
        self.fc = nn.Linear(fin, fout, bias=False)
        self.attn_fc = nn.Linear(2 * fout, 1, bias=False)
        self.slope = slope

    def forward(self, x, adj):
        z = self.fc(x)
        n = z.size(0)
        pairs = torch.cat([z[:, None].expand(-1, n, -1), z[None].expand(n, -1, -1)], -1)
        e = F.leaky_relu(self.attn_fc(pairs)[..., 0], self.slope)
        e = e.masked_fill(adj == 0, -1e9)
        keep = (adj != 0).any(1, keepdim=True)
        return (e.softmax(1) * keep) @ z


class MultiHeadGATLayer(nn.Module):
    def __init__(self, in_features, out_features, heads=2, slope=0.2):
        super().__init__()
        self.heads = nn.ModuleList([Head(in_features, out_features, slope) for _ in range(heads)])

    def forward(self, x, adj):
        adj = adj.reshape(x.size(0), x.size(0))
        return torch.cat([h(x, adj) for h in self.heads], dim=-1)
