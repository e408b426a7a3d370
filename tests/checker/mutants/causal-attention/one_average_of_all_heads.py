# contract: causal-attention
# cause: heads-added-up
from torch import nn


class CausalAttention(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.n_heads, self.d = n_heads, d_model // n_heads
        self.query, self.key, self.value = (nn.Linear(d_model, d_model) for _ in range(3))
        self.proj = nn.Linear(self.d, d_model)

    def forward(self, x):
        q, k, v = (
            f(x).unflatten(-1, (self.n_heads, self.d)).transpose(1, 2) for f in (self.query, self.key, self.value)
        )
        return self.proj(nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True).mean(1))
