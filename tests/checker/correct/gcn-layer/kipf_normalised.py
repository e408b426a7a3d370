# contract: gcn-layer
# convention: normalised-adjacency
import torch
import torch.nn as nn


class GraphConvolution(nn.Module):
    """Simple GCN layer; expects the normalised adjacency D^-1/2 (A + I) D^-1/2."""

    def __init__(self, in_features, out_features, bias=True):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(in_features, out_features))
        nn.init.xavier_uniform_(self.weight)
        self.bias = nn.Parameter(torch.zeros(out_features)) if bias else None

    def forward(self, input, adj_norm):
        output = torch.mm(adj_norm, torch.mm(input, self.weight))
        return output + self.bias if self.bias is not None else output
