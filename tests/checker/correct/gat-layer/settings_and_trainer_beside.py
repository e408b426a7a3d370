from typing import NamedTuple

import torch
from torch import nn
from torch.utils.data import Dataset


class GATOutput(NamedTuple):
    nodes: torch.Tensor
    weights: torch.Tensor


class GATDataset(Dataset):
    def __init__(self, graphs):
        self.graphs = graphs

    def __len__(self):
        return len(self.graphs)

    def __getitem__(self, i):
        return self.graphs[i]


class GATLayer(nn.Module):
    def __init__(self, n_in, n_out):
        super().__init__()
        self.w = nn.Linear(n_in, n_out, bias=False)
        self.a_self = nn.Linear(n_out, 1, bias=False)
        self.a_nbr = nn.Linear(n_out, 1, bias=False)

    def forward(self, x, adj):
        h = self.w(x)
        e = torch.nn.functional.leaky_relu(self.a_self(h) + self.a_nbr(h).T, 0.2)
        w = e.masked_fill(adj == 0, float("-inf")).softmax(1).nan_to_num(0.0)
        return GATOutput(w @ h, w)


class GATTrainer:
    def __init__(self, layer, lr=1e-3):
        self.layer, self.lr = layer, lr

    def fit(self, x, adj, y):
        opt = torch.optim.Adam(self.layer.parameters(), self.lr)
        loss = (self.layer(x, adj).nodes - y).square().mean()
        loss.backward()
        opt.step()
