# contract: gat-layer
import torch
from torch import nn
from torch.nn.functional import leaky_relu


class LoopGAT(nn.Module):
    def __init__(self, in_dim, out_dim, heads):
        super().__init__()
        self.out_dim = out_dim
        self.w = nn.ModuleList([nn.Linear(in_dim, out_dim, bias=False) for _ in range(heads)])
        self.a = nn.Parameter(torch.randn(heads, 2 * out_dim) * 0.3)

    def forward(self, x, edge_index):
        sources, targets = edge_index
        heads = []
        for w, a in zip(self.w, self.a):
            z = w(x)
            rows = []
            for i in range(len(x)):
                js = sources[targets == i]
                pair = torch.cat([z[i].expand(len(js), -1), z[js]], dim=-1)
                weight = torch.softmax(leaky_relu(pair @ a, 0.2), dim=0)
                rows.append(weight @ z[js])
            heads.append(torch.stack(rows))
        return torch.cat(heads, dim=-1)
