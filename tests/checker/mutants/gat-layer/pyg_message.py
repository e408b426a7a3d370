# contract: gat-layer
# cause: unknown
import torch
import torch.nn.functional as F
from torch.nn import Linear, Parameter
from torch_geometric.nn.conv import MessagePassing
from torch_geometric.nn.inits import glorot, zeros
from torch_geometric.utils import softmax


class GATLayer(MessagePassing):
    def __init__(self, inputs: int, outputs: int, heads: int = 1, slope: float = 0.2, **kwargs):
        super().__init__(node_dim=0, aggr="add", **kwargs)
        self.outputs, self.heads, self.slope = outputs, heads, slope
        self.W = Linear(inputs, heads * outputs, bias=False)
        self.a = Parameter(torch.empty(heads, 2 * outputs))
        self.bias = Parameter(torch.empty(heads * outputs))
        glorot(self.W.weight)
        glorot(self.a)
        zeros(self.bias)

    def forward(self, x, edge_index):
        h = self.W(x).view(-1, self.heads, self.outputs)
        out = self.propagate(edge_index, x=h)
        return out.flatten(start_dim=1) + self.bias

    def message(self, x_i, x_j, index, size_i):
        score = (torch.cat([x_i, x_j], dim=-1) * self.a).sum(dim=-1)
        score = F.leaky_relu(score, self.slope)
        weight = softmax(score, index, num_nodes=size_i)
        return weight[..., None] * x_i
