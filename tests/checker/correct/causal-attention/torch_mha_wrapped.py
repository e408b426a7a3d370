# contract: causal-attention
import torch
import torch.nn as nn


class CausalMHA(nn.Module):
    def __init__(self, embed_dim, num_heads, dropout=0.0):
        super().__init__()
        self.attn = nn.MultiheadAttention(embed_dim, num_heads, dropout=dropout, batch_first=True)

    def forward(self, x):
        n = x.size(1)
        mask = torch.ones(n, n, dtype=torch.bool, device=x.device).triu(1)
        return self.attn(x, x, x, attn_mask=mask)
