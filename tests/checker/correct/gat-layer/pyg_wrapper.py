# contract: gat-layer
from torch import nn
from torch_geometric.nn import GATConv


class GATLayer(nn.Module):
    def __init__(self, in_channels: int, out_channels: int, heads: int = 1):
        super().__init__()
        self.conv = GATConv(in_channels, out_channels, heads=heads)

    def forward(self, x, edge_index):
        return self.conv(x, edge_index)
