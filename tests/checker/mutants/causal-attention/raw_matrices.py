# contract: causal-attention
# cause: scale-multiplied,mask-ahead
import torch
import torch.nn as nn


class CausalAttn(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.W_Q = nn.Parameter(torch.empty(dim, dim))
        self.W_K = nn.Parameter(torch.empty(dim, dim))
        self.W_V = nn.Parameter(torch.empty(dim, dim))
        self.W_O = nn.Parameter(torch.empty(dim, dim))
        for p in self.parameters():
            nn.init.xavier_uniform_(p)

    def _heads(self, t):
        return t.reshape(*t.shape[:2], self.heads, -1).permute(0, 2, 1, 3)

    def forward(self, x):
        Q = self._heads(x @ self.W_Q)
        K = self._heads(x @ self.W_K)
        V = self._heads(x @ self.W_V)
        S = torch.einsum("bhqd,bhkd->bhqk", Q, K) * Q.shape[-1] ** 0.5
        n = x.shape[1]
        hidden = torch.triu(torch.ones(n, n, device=x.device), diagonal=2) == 1
        S = S.masked_fill(hidden, float("-inf"))
        Y = S.softmax(-1) @ V
        return Y.permute(0, 2, 1, 3).reshape(x.shape) @ self.W_O
