# contract: gat-layer
import torch
from torch import nn
import torch.nn.functional as F


class SparseGAT(nn.Module):
    """Attention coefficients as a sparse (nodes, edges) matrix for each head; rows are targets."""

    def __init__(self, in_features, out_features, heads=2, slope=0.2):
        super().__init__()
        self.heads, self.slope = heads, slope
        self.weight = nn.Parameter(torch.empty(heads, in_features, out_features))
        self.att_target = nn.Parameter(torch.empty(heads, out_features))
        self.att_source = nn.Parameter(torch.empty(heads, out_features))
        for p in self.parameters():
            nn.init.xavier_uniform_(p)

    def forward(self, x, edge_index):
        n = x.shape[0]
        source, target = edge_index
        outs = []
        for k in range(self.heads):
            h = x @ self.weight[k]
            score = F.leaky_relu((h @ self.att_target[k])[target] + (h @ self.att_source[k])[source], self.slope)
            place = torch.stack([target, torch.arange(len(target))])
            m = torch.sparse_coo_tensor(place, score, (n, len(target))).coalesce()
            w = torch.sparse.softmax(m, dim=1)
            outs.append(torch.sparse.mm(w, h[source]))
        return torch.cat(outs, dim=-1)
