# contract: causal-attention
# cause: unknown
import torch
import torch.nn as nn
import torch.nn.functional as F


class LocalAttention(nn.Module):
    def __init__(self, n_embd, n_head):
        super().__init__()
        self.n_head = n_head
        self.c_attn = nn.Linear(n_embd, 3 * n_embd)
        self.c_proj = nn.Linear(n_embd, n_embd)

    def forward(self, x):
        B, T, C = x.shape
        q, k, v = (t.view(B, T, self.n_head, -1).transpose(1, 2) for t in self.c_attn(x).chunk(3, -1))
        band = torch.ones(T, T, dtype=torch.bool, device=x.device).tril().triu(-2)
        y = F.scaled_dot_product_attention(q, k, v, attn_mask=band)
        return self.c_proj(y.transpose(1, 2).reshape(B, T, C))
