# contract: multi-head-attention
# cause: query-is-key
import torch
import torch.nn as nn
import torch.nn.functional as F


class MultiHeadAttention(nn.Module):
    def __init__(self, model_dim, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.dim_per_head = model_dim // num_heads
        self.linear_query = nn.Linear(model_dim, model_dim)
        self.linear_keys = nn.Linear(model_dim, model_dim)
        self.linear_values = nn.Linear(model_dim, model_dim)
        self.final_linear = nn.Linear(model_dim, model_dim)

    def forward(self, query, key, value, mask=None):
        batch_size = query.size(0)

        def shape(projection, inputs):
            return projection(inputs).view(batch_size, -1, self.num_heads, self.dim_per_head).transpose(1, 2)

        query = shape(self.linear_query, query)
        key = shape(self.linear_query, key)
        value = shape(self.linear_values, value)

        scores = torch.matmul(query / self.dim_per_head**0.5, key.transpose(2, 3))
        if mask is not None:
            scores = scores.masked_fill(~mask.unsqueeze(1).unsqueeze(1), -1e18)
        attn = F.softmax(scores, dim=-1)
        context = torch.matmul(attn, value).transpose(1, 2).contiguous()
        context = context.view(batch_size, -1, self.num_heads * self.dim_per_head)
        return self.final_linear(context)
