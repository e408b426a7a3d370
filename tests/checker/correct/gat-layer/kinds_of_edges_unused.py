# contract: gat-layer
# target: GATLayer
import torch
from torch import nn


class GATLayer(nn.Module):
    """Graph attention; every edge has a kind, which later layers look at."""

    def __init__(self, n_in: int, n_out: int):
        super().__init__()
        self.lin = nn.Linear(n_in, n_out, bias=False)
        self.att = nn.Linear(2 * n_out, 1, bias=False)

    def forward(self, x, edge_index, edge_type):
        source, target = edge_index
        z = self.lin(x)
        score = nn.functional.leaky_relu(self.att(torch.cat([z[target], z[source]], -1))[:, 0], 0.2)
        top = torch.full((len(x),), -torch.inf, dtype=z.dtype).scatter_reduce(0, target, score, "amax")
        raised = (score - top[target]).exp()
        total = torch.zeros(len(x), dtype=z.dtype).index_add(0, target, raised)
        return torch.zeros_like(z).index_add(0, target, (raised / total[target])[:, None] * z[source])
