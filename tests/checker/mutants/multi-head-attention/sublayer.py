# contract: multi-head-attention
# cause: mask-zero-fill,scale-width
import torch
import torch.nn as nn


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim, n_heads):
        super().__init__()
        self.n_heads = n_heads
        self.scale = hidden_dim**0.5
        self.fc_q = nn.Linear(hidden_dim, hidden_dim)
        self.fc_k = nn.Linear(hidden_dim, hidden_dim)
        self.fc_v = nn.Linear(hidden_dim, hidden_dim)
        self.fc_o = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, query, key, value, mask=None):
        B, N, C = query.shape
        Q = torch.stack(self.fc_q(query).chunk(self.n_heads, -1), 1)
        K = torch.stack(self.fc_k(key).chunk(self.n_heads, -1), 1)
        V = torch.stack(self.fc_v(value).chunk(self.n_heads, -1), 1)
        scores = Q @ K.transpose(-1, -2) / self.scale
        if mask is not None:
            scores = scores * mask[:, None, None, :]
        heads = torch.softmax(scores, dim=-1) @ V
        return self.fc_o(torch.cat(heads.unbind(1), dim=-1))
