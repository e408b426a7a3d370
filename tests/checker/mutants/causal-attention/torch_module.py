# contract: causal-attention
# cause: across-batch
import torch
from torch import nn


class CausalBlockAttention(nn.Module):
    """Causal self-attention on x of shape (batch, tokens, channels)."""

    def __init__(self, embed_dim: int, num_heads: int, dropout: float = 0.0):
        super().__init__()
        self.attn = nn.MultiheadAttention(embed_dim, num_heads, dropout=dropout)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        n = x.size(0)
        hide = torch.triu(torch.ones(n, n, dtype=torch.bool, device=x.device), diagonal=1)
        y, _ = self.attn(x, x, x, attn_mask=hide, need_weights=False)
        return y
