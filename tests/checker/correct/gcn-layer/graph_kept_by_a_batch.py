# contract: gcn-layer
# target: ChebLike
import torch
import torch.nn as nn

class ChebLike(nn.Module):
    """first-order graph convolution; a list of pre-normalised supports is stored"""
    def __init__(self, in_channels, out_channels, adj_mx):
        super().__init__()
        self.adj_mx = adj_mx
        self.theta = nn.Parameter(torch.empty(in_channels, out_channels))
        nn.init.xavier_uniform_(self.theta)

    def forward(self, x):
        """x (B, N, C)"""
        return torch.einsum('ij,bjc,co->bio', self.adj_mx, x, self.theta)
