# contract: gcn-layer
# cause: row-normalised
import torch
import torch.nn as nn


class GCNLayer(nn.Module):
    def __init__(self, c_in, c_out):
        super().__init__()
        self.projection = nn.Linear(c_in, c_out)

    def forward(self, node_feats, adj_matrix):
        adj = adj_matrix + torch.eye(adj_matrix.size(0), dtype=adj_matrix.dtype)
        num_neighbours = adj.sum(dim=-1, keepdim=True)
        node_feats = self.projection(node_feats)
        return adj @ node_feats / num_neighbours
