# contract: causal-attention
# cause: query-is-key
import torch
import torch.nn as nn


class MultiheadSelfAttention(nn.Module):
    def __init__(self, d_model, nhead):
        super().__init__()
        self.nhead = nhead
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_model, d_model)
        self.v_proj = nn.Linear(d_model, d_model)
        self.out_proj = nn.Linear(d_model, d_model)

    def shape(self, t):
        bsz, n, _ = t.shape
        return t.view(bsz, n, self.nhead, -1).transpose(1, 2)

    def forward(self, hidden_states):
        bsz, n, dim = hidden_states.shape
        query = self.shape(self.k_proj(hidden_states))
        key = self.shape(self.k_proj(hidden_states))
        value = self.shape(self.v_proj(hidden_states))
        causal = torch.full((n, n), -1e9, dtype=query.dtype, device=query.device).triu(diagonal=1)
        weights = query @ key.transpose(2, 3) * (dim // self.nhead) ** -0.5 + causal
        weights = weights.softmax(dim=-1)
        return self.out_proj((weights @ value).transpose(1, 2).reshape(bsz, n, dim))
