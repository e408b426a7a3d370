# contract: gcn-layer
# cause: normalisation-missing,self-loops-missing
import torch
from torch import nn
from torch_geometric.nn import GCNConv


class GCNLayer(nn.Module):
    def __init__(self, in_channels, out_channels):
        super().__init__()
        self.conv = GCNConv(in_channels, out_channels, normalize=False)

    def forward(self, x, edge_index):
        return self.conv(x, edge_index)
