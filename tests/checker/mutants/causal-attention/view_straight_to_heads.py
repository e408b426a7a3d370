# contract: causal-attention
# cause: heads-split-view
import math
import torch
import torch.nn as nn
import torch.nn.functional as F


class MultiHeadSelfAttention(nn.Module):
    def __init__(self, hidden_size, num_attention_heads):
        super().__init__()
        self.num_heads = num_attention_heads
        self.head_size = hidden_size // num_attention_heads
        self.query = nn.Linear(hidden_size, hidden_size)
        self.key = nn.Linear(hidden_size, hidden_size)
        self.value = nn.Linear(hidden_size, hidden_size)
        self.dense = nn.Linear(hidden_size, hidden_size)

    def forward(self, hidden_states):
        b, n, c = hidden_states.size()
        q = self.query(hidden_states).view(b, self.num_heads, n, self.head_size)
        k = self.key(hidden_states).view(b, self.num_heads, n, self.head_size)
        v = self.value(hidden_states).view(b, self.num_heads, n, self.head_size)
        scores = torch.matmul(q, k.transpose(-1, -2)) / math.sqrt(self.head_size)
        causal = torch.tril(torch.ones(n, n, device=scores.device)).bool()
        scores = scores.masked_fill(~causal, float("-inf"))
        context = torch.matmul(F.softmax(scores, dim=-1), v)
        context = context.transpose(1, 2).reshape(b, n, c)
        return self.dense(context)
