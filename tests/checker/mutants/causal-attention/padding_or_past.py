# contract: causal-attention
# cause: masks-joined-by-or
import torch
from torch import nn


class CausalAttention(nn.Module):
    """attention_mask (batch, tokens): 1 for tokens, 0 where there is none. The future is hidden always."""

    def __init__(self, hidden: int, num_attention_heads: int):
        super().__init__()
        self.num_attention_heads = num_attention_heads
        self.query_key_value = nn.Linear(hidden, 3 * hidden)
        self.dense = nn.Linear(hidden, hidden)

    def forward(self, states, attention_mask=None):
        b, n, c = states.shape
        q, k, v = self.query_key_value(states).view(b, n, 3, self.num_attention_heads, -1).unbind(2)
        seen = torch.ones(n, n, dtype=torch.bool).tril()[None, None]
        if attention_mask is not None:
            seen = seen | attention_mask[:, None, None, :].bool()
        scores = torch.einsum("bqhd,bkhd->bhqk", q, k) * q.size(-1) ** -0.5
        weights = scores.masked_fill(~seen, -1e9).softmax(-1)
        return self.dense(torch.einsum("bhqk,bkhd->bqhd", weights, v).reshape(b, n, c))
