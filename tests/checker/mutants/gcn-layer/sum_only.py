# contract: gcn-layer
# cause: normalisation-missing
import torch
import torch.nn as nn


class GCN(nn.Module):
    def __init__(self, in_dim, out_dim):
        super().__init__()
        self.theta = nn.Linear(in_dim, out_dim)

    def forward(self, x, edge_index):
        h = self.theta(x)
        src, dst = edge_index
        out = h.clone()
        keep = src != dst
        return out.index_add(0, dst[keep], h[src[keep]])
