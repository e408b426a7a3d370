# contract: causal-attention
# cause: softmax-heads
import torch
import torch.nn as nn


class Attention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.dk = d_model // num_heads
        self.WQ = nn.Linear(d_model, d_model)
        self.WK = nn.Linear(d_model, d_model)
        self.WV = nn.Linear(d_model, d_model)
        self.WO = nn.Linear(d_model, d_model)

    def forward(self, x):
        b, n, _ = x.shape
        q = self.WQ(x).view(b, n, self.num_heads, self.dk).transpose(1, 2)
        k = self.WK(x).view(b, n, self.num_heads, self.dk).transpose(1, 2)
        v = self.WV(x).view(b, n, self.num_heads, self.dk).transpose(1, 2)
        logits = q @ k.transpose(2, 3) / self.dk**0.5
        future = torch.triu(torch.ones(n, n, device=x.device), 1) == 1
        logits = logits.masked_fill(future, -1e9)
        weights = torch.softmax(logits, dim=1)
        return self.WO((weights @ v).transpose(1, 2).reshape(b, n, -1))
