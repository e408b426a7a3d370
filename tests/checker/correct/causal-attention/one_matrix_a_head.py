# contract: causal-attention
import torch
from torch import nn


class HeadwiseAttention(nn.Module):
    """Causal; the weights of every head stand apart, its biases too."""

    def __init__(self, d_model, n_heads):
        super().__init__()
        d = d_model // n_heads
        self.W_Q, self.W_K, self.W_V = (nn.Parameter(torch.randn(n_heads, d_model, d)) for _ in range(3))
        self.b_Q, self.b_K, self.b_V = (nn.Parameter(torch.zeros(n_heads, d)) for _ in range(3))
        self.W_O = nn.Parameter(torch.randn(n_heads, d, d_model))
        self.b_O = nn.Parameter(torch.zeros(d_model))

    def forward(self, x):
        x = x[:, None]
        q, k, v = x @ self.W_Q + self.b_Q[:, None], x @ self.W_K + self.b_K[:, None], x @ self.W_V + self.b_V[:, None]
        scores = q @ k.mT / q.shape[-1] ** 0.5
        scores = scores.masked_fill(torch.ones_like(scores).triu(1).bool(), float("-inf"))
        return (scores.softmax(-1) @ v @ self.W_O).sum(1) + self.b_O
