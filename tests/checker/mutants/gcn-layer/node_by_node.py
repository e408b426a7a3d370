# contract: gcn-layer
# cause: root-not-inverted
import math

import torch
from torch import nn


class GCNLayer(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W = nn.Linear(d_in, d_out)
        nn.init.zeros_(self.W.bias)

    def forward(self, x, edge_index):
        n = x.shape[0]
        neighbours = {i: [i] for i in range(n)}
        for s, t in edge_index.t().tolist():
            neighbours[t].append(s)
        degree = [len(neighbours[i]) for i in range(n)]
        rows = []
        for i in range(n):
            acc = torch.zeros(x.shape[1], dtype=x.dtype)
            for j in neighbours[i]:
                acc = acc + x[j] * math.sqrt(degree[i] * degree[j])
            rows.append(acc)
        agg = torch.stack(rows)
        return self.W(agg)
