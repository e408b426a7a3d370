# contract: multi-head-attention
# cause: softmax-queries
import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    """Heads are folded into the batch, and the softmax then takes the axis of the queries. mask: True may be seen."""

    def __init__(self, d_model, n_head):
        super().__init__()
        self.n_head = n_head
        self.query, self.key = nn.Linear(d_model, d_model), nn.Linear(d_model, d_model)
        self.value, self.out = nn.Linear(d_model, d_model), nn.Linear(d_model, d_model)

    def fold(self, t):
        return t.unflatten(-1, (self.n_head, -1)).transpose(1, 2)

    def forward(self, q, k, v, mask=None):
        q, k, v = self.fold(self.query(q)), self.fold(self.key(k)), self.fold(self.value(v))
        scores = q @ k.mT * q.shape[-1] ** -0.5
        if mask is not None:
            scores = scores.masked_fill(~mask[:, None, None, :], -1e4)
        weights = torch.softmax(scores.flatten(0, 1), 1).view_as(scores)
        return self.out((weights @ v).transpose(1, 2).flatten(2))
