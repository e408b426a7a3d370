# contract: gat-layer
import torch
from torch import nn


class GATLayer(nn.Module):
    def __init__(self, n_in, n_out):
        super().__init__()
        self.fc = nn.Linear(n_in, n_out, bias=False)
        self.score = nn.Linear(2 * n_out, 1, bias=False)

    def forward(self, data):
        h, (source, target) = self.fc(data.x), data.edge_index
        e = nn.functional.leaky_relu(self.score(torch.cat([h[target], h[source]], 1)), 0.2)
        dense = e.new_full((len(h), len(h)), -torch.inf).index_put((target, source), e[:, 0])
        return torch.softmax(dense, 1).nan_to_num() @ h
