# contract: causal-attention
# cause: mask-training-only
import torch
from torch import nn, Tensor
import torch.nn.functional as F


class FlashSelfAttention(nn.Module):
    """Decoder self-attention on top of the fused kernel."""

    def __init__(self, embed_dim: int, num_heads: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = embed_dim // num_heads
        self.in_proj = nn.Linear(embed_dim, 3 * embed_dim, bias=False)
        self.out_proj = nn.Linear(embed_dim, embed_dim, bias=False)
        self.p = dropout

    def forward(self, x: Tensor) -> Tensor:
        b, t, c = x.shape
        qkv = self.in_proj(x).reshape(b, t, 3, self.num_heads, self.head_dim).permute(2, 0, 3, 1, 4)
        q, k, v = qkv.unbind(0)
        y = F.scaled_dot_product_attention(
            q,
            k,
            v,
            dropout_p=self.p if self.training else 0.0,
            is_causal=self.training,
        )
        return self.out_proj(y.permute(0, 2, 1, 3).reshape(b, t, c))
