# contract: gat-layer
# cause: raw-features
import torch
import torch.nn as nn
import torch.nn.functional as F


class GAT(nn.Module):
    def __init__(self, in_features, out_features):
        super().__init__()
        self.out_features = out_features
        self.W = nn.Linear(in_features, out_features, bias=False)
        self.a = nn.Linear(2 * out_features, 1, bias=False)

    def forward(self, x, adj):
        n = x.shape[0]
        h = self.W(x)
        left = h[:, None, :].expand(n, n, -1)
        right = h[None, :, :].expand(n, n, -1)
        e = F.leaky_relu(self.a(torch.cat([left, right], -1)).squeeze(-1), 0.2)
        e = e.masked_fill(adj.reshape(n, n) == 0, -1e9)
        return e.softmax(-1) @ x
