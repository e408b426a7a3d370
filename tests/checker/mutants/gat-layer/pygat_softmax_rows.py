# contract: gat-layer
# cause: softmax-sources
import torch
import torch.nn as nn
import torch.nn.functional as F


class GraphAttentionLayer(nn.Module):
    def __init__(self, in_features, out_features, dropout=0.0, alpha=0.2):
        super().__init__()
        self.dropout = dropout
        self.out_features = out_features
        self.W = nn.Parameter(torch.empty(in_features, out_features))
        nn.init.xavier_uniform_(self.W, gain=1.414)
        self.a = nn.Parameter(torch.empty(2 * out_features, 1))
        nn.init.xavier_uniform_(self.a, gain=1.414)
        self.leakyrelu = nn.LeakyReLU(alpha)

    def forward(self, h, adj):
        Wh = torch.mm(h, self.W)
        Wh1 = torch.matmul(Wh, self.a[: self.out_features])
        Wh2 = torch.matmul(Wh, self.a[self.out_features :])
        e = self.leakyrelu(Wh1 + Wh2.T)
        attention = torch.where(adj > 0, e, torch.full_like(e, -9e15))
        attention = F.softmax(attention, dim=0)
        attention = attention * (adj > 0)
        attention = F.dropout(attention, self.dropout, training=self.training)
        return torch.matmul(attention, Wh)
