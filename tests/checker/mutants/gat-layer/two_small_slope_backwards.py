# contract: gat-layer
# cause: leaky-slope, direction-reversed
import torch
import torch.nn as nn
import torch.nn.functional as F


class GATLayer(nn.Module):
    def __init__(self, inputs, outputs, heads=1):
        super().__init__()
        self.heads, self.outputs = heads, outputs
        self.W = nn.Linear(inputs, heads * outputs, bias=False)
        self.a = nn.Parameter(torch.randn(heads, 2 * outputs) * 0.4)

    def forward(self, x, edge_index):
        n = x.shape[0]
        h = self.W(x).view(n, self.heads, self.outputs)
        target, source = edge_index
        e = F.leaky_relu((torch.cat([h[target], h[source]], -1) * self.a).sum(-1), negative_slope=0.01)
        p = torch.exp(e - e.amax(0, keepdim=True))
        z = x.new_zeros(n, self.heads).index_add(0, target, p)
        w = p / z[target]
        return torch.zeros_like(h).index_add(0, target, w[:, :, None] * h[source]).reshape(n, -1)
