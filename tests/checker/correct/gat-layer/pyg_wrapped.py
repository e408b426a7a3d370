# contract: gat-layer
# convention: self-loops-added
# needs: torch_geometric
import torch.nn as nn
from torch_geometric.nn import GATConv


class GAT(nn.Module):
    def __init__(self, in_channels, out_channels, heads=1):
        super().__init__()
        self.conv = GATConv(in_channels, out_channels, heads=heads, dropout=0.0)

    def forward(self, x, edge_index):
        return self.conv(x, edge_index)
