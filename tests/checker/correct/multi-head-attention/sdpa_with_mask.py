# contract: multi-head-attention
import torch.nn as nn
import torch.nn.functional as F


class MHSA(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.n_heads = n_heads
        self.Wqkv = nn.Linear(d_model, 3 * d_model)
        self.out_proj = nn.Linear(d_model, d_model)

    def forward(self, x, mask=None):
        b, n, c = x.shape
        q, k, v = self.Wqkv(x).view(b, n, 3, self.n_heads, -1).permute(2, 0, 3, 1, 4)
        if mask is not None and mask.dim() == 2:
            mask = mask[:, None, None, :]
        y = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        return self.out_proj(y.transpose(1, 2).reshape(b, n, c))
