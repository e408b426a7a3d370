# contract: multi-head-attention
# cause: size-dependent
# target: MultiHeadAttention
import torch
import torch.nn as nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.h, self.d = n_heads, d_model // n_heads
        self.q, self.k, self.v, self.o = (nn.Linear(d_model, d_model) for _ in range(4))

    def forward(self, q, k, v, mask=None):
        B = q.size(0)
        q = self.q(q).view(B, -1, self.h, self.d).transpose(1, 2)
        k = self.k(k).view(B, -1, self.h, self.d).transpose(1, 2)
        v = self.v(v).view(B, -1, self.h, self.d).transpose(1, 2)
        s = q @ k.transpose(-1, -2) / self.d**0.5
        if mask is not None:
            s = s.masked_fill(~mask[:, None, None, :], float("-inf"))
        a = s.softmax(-1)
        if mask is not None and (~mask).all(-1).any():
            a = torch.nan_to_num(a)
        y = a @ v
        if B == 1:
            return self.o(y.view(1, -1, self.h * self.d))
        return self.o(y.transpose(1, 2).reshape(B, -1, self.h * self.d))
