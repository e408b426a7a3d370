# contract: gat-layer
import torch
from torch import nn
from torch_geometric.nn import MessagePassing
from torch_geometric.utils import softmax


class GAT(MessagePassing):
    def __init__(self, in_channels, out_channels, heads=1, negative_slope=0.2):
        super().__init__(aggr="add", node_dim=0)
        self.heads = heads
        self.negative_slope = negative_slope
        self.lin = nn.Linear(in_channels, heads * out_channels, bias=False)
        self.att_i = nn.Parameter(torch.randn(heads, out_channels) * 0.3)
        self.att_j = nn.Parameter(torch.randn(heads, out_channels) * 0.3)

    def forward(self, x, edge_index):
        h = self.lin(x).view(x.size(0), self.heads, -1)
        return self.propagate(edge_index, h=h, size=None).flatten(1)

    def message(self, h_i, h_j, index, ptr, size_i):
        score = (h_i * self.att_i).sum(-1) + (h_j * self.att_j).sum(-1)
        score = nn.functional.leaky_relu(score, self.negative_slope)
        return h_j * softmax(score, index, ptr, size_i).unsqueeze(-1)
