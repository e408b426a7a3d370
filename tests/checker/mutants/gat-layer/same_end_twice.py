# contract: gat-layer
# cause: target-term-missing
import torch
from torch import nn
from torch_geometric.nn import MessagePassing
from torch_geometric.utils import add_self_loops, remove_self_loops, softmax


class GraphAttentionLayer(MessagePassing):
    def __init__(self, in_channels, out_channels, heads=1, negative_slope=0.2):
        super().__init__(aggr="add", node_dim=0)
        self.heads, self.out_channels = heads, out_channels
        self.W = nn.Linear(in_channels, heads * out_channels, bias=False)
        self.a_l = nn.Parameter(torch.randn(heads, out_channels) * 0.2)
        self.a_r = nn.Parameter(torch.randn(heads, out_channels) * 0.2)
        self.act = nn.LeakyReLU(negative_slope)

    def forward(self, x, edge_index):
        n = x.size(0)
        edge_index, _ = remove_self_loops(edge_index)
        edge_index, _ = add_self_loops(edge_index, num_nodes=n)
        src, dst = edge_index
        h = self.W(x).view(n, self.heads, self.out_channels)
        alpha_l, alpha_r = (h * self.a_l).sum(-1), (h * self.a_r).sum(-1)
        alpha = softmax(self.act(alpha_l[src] + alpha_r[src]), dst, num_nodes=n)
        return self.propagate(edge_index, h=h, alpha=alpha).flatten(1)

    def message(self, h_j, alpha):
        return h_j * alpha.unsqueeze(-1)
