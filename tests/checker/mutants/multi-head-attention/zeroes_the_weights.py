# contract: multi-head-attention
# cause: mask-after-softmax
import torch
import torch.nn as nn


class SelfAttention(nn.Module):
    """forward(x, mask): mask (batch, tokens), True = real token."""

    def __init__(self, hidden_size, num_attention_heads):
        super().__init__()
        self.nh = num_attention_heads
        self.query = nn.Linear(hidden_size, hidden_size)
        self.key = nn.Linear(hidden_size, hidden_size)
        self.value = nn.Linear(hidden_size, hidden_size)
        self.dense = nn.Linear(hidden_size, hidden_size)

    def transpose_for_scores(self, x):
        return x.view(*x.shape[:2], self.nh, -1).permute(0, 2, 1, 3)

    def forward(self, hidden_states, mask=None):
        q = self.transpose_for_scores(self.query(hidden_states))
        k = self.transpose_for_scores(self.key(hidden_states))
        v = self.transpose_for_scores(self.value(hidden_states))
        probs = torch.softmax(q @ k.transpose(-1, -2) / q.shape[-1] ** 0.5, dim=-1)
        if mask is not None:
            probs = probs.masked_fill(~mask[:, None, None, :], 0.0)
        context = (probs @ v).permute(0, 2, 1, 3).flatten(2)
        return self.dense(context)
