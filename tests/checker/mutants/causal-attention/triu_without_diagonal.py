# contract: causal-attention
# cause: mask-strict
import torch
import torch.nn as nn


class MultiHeadCausal(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.W_q = nn.Linear(d_model, d_model)
        self.W_k = nn.Linear(d_model, d_model)
        self.W_v = nn.Linear(d_model, d_model)
        self.W_o = nn.Linear(d_model, d_model)

    def forward(self, x):
        B, N, D = x.shape
        dh = D // self.num_heads
        Q = self.W_q(x).view(B, N, self.num_heads, dh).transpose(1, 2)
        K = self.W_k(x).view(B, N, self.num_heads, dh).transpose(1, 2)
        V = self.W_v(x).view(B, N, self.num_heads, dh).transpose(1, 2)
        scores = Q @ K.transpose(-2, -1) / dh**0.5
        mask = torch.triu(torch.ones(N, N, dtype=torch.bool, device=x.device))
        scores = scores.masked_fill(mask, -1e9)
        A = scores.softmax(dim=-1)
        return self.W_o((A @ V).transpose(1, 2).contiguous().view(B, N, D))
