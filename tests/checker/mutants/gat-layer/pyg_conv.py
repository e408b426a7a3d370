# contract: gat-layer
# cause: leaky-missing
import torch
from torch import nn
from torch_geometric.nn import MessagePassing
from torch_geometric.utils import softmax


class MyGATConv(MessagePassing):
    def __init__(self, in_channels, out_channels, heads=1):
        super().__init__(aggr="add", node_dim=0)
        self.in_channels, self.out_channels, self.heads = in_channels, out_channels, heads
        self.lin = nn.Linear(in_channels, heads * out_channels, bias=False)
        self.att_l = nn.Parameter(torch.empty(1, heads, out_channels))
        self.att_r = nn.Parameter(torch.empty(1, heads, out_channels))
        nn.init.xavier_uniform_(self.lin.weight)
        nn.init.xavier_uniform_(self.att_l)
        nn.init.xavier_uniform_(self.att_r)

    def forward(self, x, edge_index):
        H, C = self.heads, self.out_channels
        x = self.lin(x).view(-1, H, C)
        alpha_l = (x * self.att_l).sum(-1)
        alpha_r = (x * self.att_r).sum(-1)
        out = self.propagate(edge_index, x=x, alpha=(alpha_l, alpha_r))
        return out.view(-1, H * C)

    def message(self, x_j, alpha_j, alpha_i, index, size_i):
        a = alpha_i + alpha_j
        a = softmax(a, index, num_nodes=size_i)
        return x_j * a.unsqueeze(-1)
