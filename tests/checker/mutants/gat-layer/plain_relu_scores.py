# contract: gat-layer
# cause: relu-for-leaky
import torch
import torch.nn as nn


class GraphAttention(nn.Module):
    def __init__(self, in_dim, out_dim):
        super().__init__()
        self.fc = nn.Linear(in_dim, out_dim, bias=False)
        self.a_self = nn.Linear(out_dim, 1, bias=False)
        self.a_neigh = nn.Linear(out_dim, 1, bias=False)

    def forward(self, x, adj):
        z = self.fc(x)
        scores = torch.relu(self.a_self(z) + self.a_neigh(z).t())
        expo = torch.exp(scores - scores.amax(1, keepdim=True)) * (adj != 0)
        alpha = expo / expo.sum(1, keepdim=True).clamp(min=1e-30)
        return alpha @ z
