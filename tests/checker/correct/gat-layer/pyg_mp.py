# contract: gat-layer
import torch
import torch.nn.functional as F
from torch import nn
from torch_geometric.nn import MessagePassing
from torch_geometric.utils import softmax


class GAT(MessagePassing):
    def __init__(self, in_channels, out_channels, heads=2, negative_slope=0.2, dropout=0.0, **kwargs):
        super().__init__(node_dim=0, aggr='add', **kwargs)
        self.in_channels, self.out_channels, self.heads = in_channels, out_channels, heads
        self.negative_slope, self.dropout = negative_slope, dropout
        self.lin_l = nn.Linear(in_channels, heads * out_channels, bias=False)
        self.att_l = nn.Parameter(torch.empty(1, heads, out_channels))
        self.att_r = nn.Parameter(torch.empty(1, heads, out_channels))
        nn.init.xavier_uniform_(self.lin_l.weight)
        nn.init.xavier_uniform_(self.att_l)
        nn.init.xavier_uniform_(self.att_r)

    def forward(self, x, edge_index, size=None):
        H, C = self.heads, self.out_channels
        h = self.lin_l(x).view(-1, H, C)
        out = self.propagate(edge_index, x=h, alpha_l=(h * self.att_l).sum(-1), alpha_r=(h * self.att_r).sum(-1), size=size)
        return out.reshape(-1, H * C)

    def message(self, x_j, alpha_l_j, alpha_r_i, index, ptr, size_i):
        alpha = F.leaky_relu(alpha_l_j + alpha_r_i, self.negative_slope)
        alpha = softmax(alpha, index, ptr, size_i)
        alpha = F.dropout(alpha, p=self.dropout, training=self.training)
        return x_j * alpha.unsqueeze(-1)
