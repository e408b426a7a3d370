# contract: gcn-layer
# cause: self-loops-double
import torch
from torch import nn


class GraphConv(nn.Module):
    def __init__(self, *, in_feats: int, out_feats: int):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(in_feats, out_feats))
        self.bias = nn.Parameter(torch.zeros(out_feats))
        nn.init.xavier_normal_(self.weight)

    def _gather(self, feats, adj):
        neighbours = adj @ feats
        return neighbours + feats

    def forward(self, feats, adj):
        adj = adj + torch.eye(adj.shape[0], dtype=adj.dtype, device=adj.device)
        degs = adj.sum(dim=1, keepdim=True)
        norm = torch.pow(degs, -0.5)
        feats = feats * norm
        rst = self._gather(feats @ self.weight, adj)
        return rst * norm + self.bias
