# contract: gat-layer
# cause: leaky-missing
import torch
import torch.nn as nn


class GATLayer(nn.Module):
    """edge_index: row 0 source, row 1 target."""

    def __init__(self, inputs: int, outputs: int, heads: int = 1):
        super().__init__()
        self.heads, self.outputs = heads, outputs
        self.W = nn.Linear(inputs, heads * outputs, bias=False)
        self.a = nn.Parameter(torch.randn(heads, 2 * outputs) * 0.3)
        self.bias = nn.Parameter(torch.zeros(heads * outputs))

    def forward(self, x, edge_index):
        h = self.W(x).view(x.size(0), self.heads, self.outputs)
        source, target = edge_index
        e = (torch.cat((h[target], h[source]), -1) * self.a).sum(-1)
        out = torch.zeros_like(h)
        # one node after the other
        for i in range(x.size(0)):
            here = (target == i).nonzero().flatten()
            if len(here) == 0:
                continue
            w = torch.softmax(e[here], dim=0)
            out[i] = (w.unsqueeze(-1) * h[source[here]]).sum(0)
        return out.flatten(1) + self.bias
