# contract: causal-attention
# cause: across-batch
import torch
import torch.nn as nn


class CausalBlockAttention(nn.Module):
    def __init__(self, embed_dim, num_heads):
        super().__init__()
        self.mha = nn.MultiheadAttention(embed_dim, num_heads)

    def forward(self, x):
        n = x.size(0)
        mask = torch.triu(torch.ones(n, n, dtype=torch.bool, device=x.device), diagonal=1)
        y, _ = self.mha(x, x, x, attn_mask=mask, need_weights=False)
        return y
