# contract: causal-attention
# cause: scale-width, mask-missing
import torch
import torch.nn as nn
import torch.nn.functional as F


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        self.d_model, self.num_heads = d_model, num_heads
        self.q_linear = nn.Linear(d_model, d_model)
        self.k_linear = nn.Linear(d_model, d_model)
        self.v_linear = nn.Linear(d_model, d_model)
        self.out = nn.Linear(d_model, d_model)

    def forward(self, x):
        b, n, _ = x.shape
        q = self.q_linear(x).view(b, n, self.num_heads, -1).transpose(1, 2)
        k = self.k_linear(x).view(b, n, self.num_heads, -1).transpose(1, 2)
        v = self.v_linear(x).view(b, n, self.num_heads, -1).transpose(1, 2)
        scores = torch.matmul(q, k.transpose(-2, -1)) / self.d_model**0.5
        weights = F.softmax(scores, dim=-1)
        return self.out(torch.matmul(weights, v).transpose(1, 2).reshape(b, n, self.d_model))
