# contract: gat-layer
# cause: self-loops-removed
import torch
from torch import nn
from torch_geometric.nn import MessagePassing
from torch_geometric.utils import remove_self_loops, softmax


class GATLayer(MessagePassing):
    def __init__(self, n_in, n_out):
        super().__init__(aggr="add")
        self.lin = nn.Linear(n_in, n_out, bias=False)
        self.a = nn.Parameter(torch.randn(2 * n_out) * 0.2)

    def forward(self, x, edge_index):
        edge_index, _ = remove_self_loops(edge_index)
        return self.propagate(edge_index, x=self.lin(x))

    def message(self, x_i, x_j, index, ptr, size_i):
        e = nn.functional.leaky_relu(torch.cat([x_i, x_j], -1) @ self.a, 0.2)
        return softmax(e, index, ptr, size_i)[:, None] * x_j
