# contract: causal-attention
# cause: mask-inverted
import torch
import torch.nn as nn
import torch.nn.functional as F


class Attention(nn.Module):
    def __init__(self, d_model, n_head):
        super().__init__()
        self.n_head = n_head
        self.Wqkv = nn.Linear(d_model, 3 * d_model, bias=False)
        self.Wo = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x):
        b, t, c = x.shape
        q, k, v = [
            z.view(b, t, self.n_head, c // self.n_head).transpose(1, 2) for z in self.Wqkv(x).chunk(3, -1)
        ]
        hide = torch.ones(t, t, device=x.device).tril(-1).bool()
        y = F.scaled_dot_product_attention(q, k, v, attn_mask=~hide)
        return self.Wo(y.transpose(1, 2).reshape(b, t, c))
