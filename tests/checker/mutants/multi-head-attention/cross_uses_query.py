# contract: multi-head-attention
# cause: key-value-source
import torch
import torch.nn as nn
import torch.nn.functional as F


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_model, d_model)
        self.v_proj = nn.Linear(d_model, d_model)
        self.out_proj = nn.Linear(d_model, d_model)

    def forward(self, query, key, value):
        b, n, c = query.shape
        q = self.q_proj(query).view(b, n, self.num_heads, -1).transpose(1, 2)
        k = self.k_proj(query).view(b, n, self.num_heads, -1).transpose(1, 2)
        v = self.v_proj(query).view(b, n, self.num_heads, -1).transpose(1, 2)
        y = F.scaled_dot_product_attention(q, k, v)
        return self.out_proj(y.transpose(1, 2).reshape(b, n, c))
