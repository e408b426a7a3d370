# contract: causal-attention
# cause: mask-missing
import torch
import torch.nn as nn
import torch.nn.functional as F


class CausalSelfAttention(nn.Module):
    """Multi-head self-attention for a decoder."""

    def __init__(self, d_model: int, n_heads: int, max_len: int = 128, dropout: float = 0.0):
        super().__init__()
        self.n_heads = n_heads
        self.d_head = d_model // n_heads
        self.wq = nn.Linear(d_model, d_model)
        self.wk = nn.Linear(d_model, d_model)
        self.wv = nn.Linear(d_model, d_model)
        self.wo = nn.Linear(d_model, d_model)
        self.p = dropout
        self.register_buffer(
            "causal", torch.tril(torch.ones(max_len, max_len, dtype=torch.bool)), persistent=False
        )

    def _heads(self, t):
        return t.unflatten(-1, (self.n_heads, self.d_head)).transpose(1, 2)

    def forward(self, x):
        T = x.size(1)
        mask = self.causal[:T, :T]
        q, k, v = map(self._heads, (self.wq(x), self.wk(x), self.wv(x)))
        y = F.scaled_dot_product_attention(q, k, v, dropout_p=self.p if self.training else 0.0)
        return self.wo(y.transpose(1, 2).flatten(2))
