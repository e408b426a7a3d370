# contract: gat-layer
# cause: heads-summed
import torch
from torch import nn
from torch.nn import functional as F


class GATHead(nn.Module):
    """Heads side by side with concat=True; averaged, for a last layer, without."""

    def __init__(self, inputs, outputs, heads=2, concat=False):
        super().__init__()
        self.heads, self.outputs, self.concat = heads, outputs, concat
        self.lin = nn.Linear(inputs, heads * outputs, bias=False)
        self.att = nn.Parameter(torch.randn(heads, 2 * outputs) / outputs**0.5)

    def forward(self, x, adj):
        z = self.lin(x).view(len(x), self.heads, self.outputs)
        own = (z * self.att[:, : self.outputs]).sum(-1)
        other = (z * self.att[:, self.outputs :]).sum(-1)
        score = F.leaky_relu(own[:, None] + other[None], 0.2).masked_fill(adj[..., None] == 0, -9e15)
        out = torch.einsum("ijh,jhd->ihd", score.softmax(1), z)
        return out.flatten(1) if self.concat else out.sum(1)
