# contract: multi-head-attention
# cause: out-projection-missing
import torch
import torch.nn as nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.wq = nn.Linear(d_model, d_model)
        self.wk = nn.Linear(d_model, d_model)
        self.wv = nn.Linear(d_model, d_model)
        self.dense = nn.Linear(d_model, d_model)

    def forward(self, q, k, v, mask=None):
        b, n, c = q.shape
        d = c // self.num_heads
        q = self.wq(q).view(b, -1, self.num_heads, d).permute(0, 2, 1, 3)
        k = self.wk(k).view(b, -1, self.num_heads, d).permute(0, 2, 1, 3)
        v = self.wv(v).view(b, -1, self.num_heads, d).permute(0, 2, 1, 3)
        logits = q @ k.transpose(-1, -2) / d**0.5
        if mask is not None:
            mask = mask[:, None, None, :] if mask.dim() == 2 else mask
            logits = logits + (~mask).to(logits.dtype) * -1e9
        scaled = torch.softmax(logits, -1) @ v
        concat = scaled.permute(0, 2, 1, 3).reshape(b, n, c)
        return concat
