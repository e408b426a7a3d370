# contract: causal-attention
# cause: mask-training-only
import torch.nn as nn
import torch.nn.functional as F


class CausalSelfAttention(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.config = config
        self.attn = nn.Linear(config.n_embd, 3 * config.n_embd, bias=config.bias)
        self.proj = nn.Linear(config.n_embd, config.n_embd, bias=config.bias)

    def forward(self, x):
        b, t, c = x.shape
        h = self.config.n_head
        q, k, v = (z.view(b, t, h, c // h).transpose(1, 2) for z in self.attn(x).split(c, dim=2))
        y = F.scaled_dot_product_attention(
            q, k, v, dropout_p=self.config.dropout if self.training else 0.0, is_causal=self.training
        )
        return self.proj(y.transpose(1, 2).contiguous().view(b, t, c))
