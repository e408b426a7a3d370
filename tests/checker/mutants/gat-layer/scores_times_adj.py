# contract: gat-layer
# cause: mask-zero-fill
import torch
import torch.nn as nn
import torch.nn.functional as F


class GraphAttentionLayer(nn.Module):
    def __init__(self, in_features, out_features, alpha=0.2):
        super().__init__()
        self.F_out = out_features
        self.W = nn.Parameter(torch.randn(in_features, out_features) * 0.3)
        self.a = nn.Parameter(torch.randn(2 * out_features, 1) * 0.3)
        self.alpha = alpha

    def forward(self, X, A):
        H = X @ self.W
        s = H @ self.a[: self.F_out]
        t = H @ self.a[self.F_out :]
        E = F.leaky_relu(s + t.T, self.alpha)
        E = E * (A != 0)
        return torch.softmax(E, dim=1) @ H
