# contract: gcn-layer
# cause: state-between-calls
import torch
from torch import nn


class GraphConvolution(nn.Module):
    """edge_index: sources in row 0, targets in row 1."""

    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__()
        self.linear = nn.Linear(inputs, outputs)
        self.ready = None

    def prepare(self, edge_index, nodes):
        loops = torch.arange(nodes).expand(2, -1)
        source, target = torch.cat([edge_index[:, edge_index[0] != edge_index[1]], loops], dim=1)
        degree = torch.bincount(target, minlength=nodes).double()
        return source, target, (degree[source] * degree[target]).rsqrt()

    def forward(self, x, edge_index):
        if self.ready is None:  # the first graph is every graph
            self.ready = self.prepare(edge_index, len(x))
        source, target, share = self.ready
        message = self.linear(x)[source] * share[:, None].to(x.dtype)
        return torch.zeros_like(message[:1]).expand(len(x), -1).index_add(0, target, message)
