# contract: gat-layer
# cause: softmax-sources
import torch
import torch.nn as nn
import torch.nn.functional as F


class GraphAttentionLayer(nn.Module):
    def __init__(self, in_features, out_features, alpha=0.2):
        super().__init__()
        self.out_features = out_features
        self.W = nn.Parameter(torch.empty(in_features, out_features))
        nn.init.xavier_uniform_(self.W, gain=1.414)
        self.a = nn.Parameter(torch.empty(2 * out_features, 1))
        nn.init.xavier_uniform_(self.a, gain=1.414)
        self.leakyrelu = nn.LeakyReLU(alpha)

    def forward(self, h, adj):
        Wh = h @ self.W
        left = Wh @ self.a[: self.out_features]
        right = Wh @ self.a[self.out_features :]
        e = self.leakyrelu(left + right.T)
        adj = adj + torch.eye(adj.size(0), device=adj.device, dtype=adj.dtype)
        attention = torch.where(adj > 0, e, -9e15 * torch.ones_like(e))
        attention = F.softmax(attention, dim=0)
        return attention @ Wh
