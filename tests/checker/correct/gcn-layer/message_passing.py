# contract: gcn-layer
import torch
from torch import nn
from torch_geometric.nn import MessagePassing
from torch_geometric.utils import add_remaining_self_loops, degree


class GCNConv(MessagePassing):
    def __init__(self, in_channels: int, out_channels: int):
        super().__init__(aggr="add")
        self.lin = nn.Linear(in_channels, out_channels, bias=False)
        self.bias = nn.Parameter(torch.zeros(out_channels))

    def forward(self, x, edge_index):
        edge_index, _ = add_remaining_self_loops(edge_index, num_nodes=x.size(0))
        row, col = edge_index
        deg = degree(col, x.size(0), dtype=x.dtype)
        dis = deg.pow(-0.5)
        dis[dis == float("inf")] = 0
        return self.propagate(edge_index, x=self.lin(x), norm=dis[row] * dis[col]) + self.bias

    def message(self, x_j, norm):
        return norm.view(-1, 1) * x_j
