# contract: causal-attention
import torch
from torch import nn


class CausalSelfAttention(nn.Module):
    def __init__(self, d_model, nhead, dropout=0.0):
        super().__init__()
        self.mha = nn.MultiheadAttention(d_model, nhead, dropout=dropout, batch_first=True)

    def forward(self, x):
        n = x.shape[1]
        mask = nn.Transformer.generate_square_subsequent_mask(n, device=x.device, dtype=x.dtype)
        return self.mha(x, x, x, attn_mask=mask, need_weights=False)[0]
