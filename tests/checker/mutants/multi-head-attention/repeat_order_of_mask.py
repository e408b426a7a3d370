# contract: multi-head-attention
# cause: mask-batch-order
import torch
import torch.nn as nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_head):
        super().__init__()
        self.n_head = n_head
        self.d_k = d_model // n_head
        self.w_qs = nn.Linear(d_model, d_model)
        self.w_ks = nn.Linear(d_model, d_model)
        self.w_vs = nn.Linear(d_model, d_model)
        self.fc = nn.Linear(d_model, d_model)

    def fold(self, t):
        b, n, _ = t.shape
        return t.view(b, n, self.n_head, self.d_k).permute(0, 2, 1, 3).reshape(b * self.n_head, n, self.d_k)

    def forward(self, q, k, v, mask=None):
        b, n, c = q.shape
        m = k.shape[1]
        q, k, v = self.fold(self.w_qs(q)), self.fold(self.w_ks(k)), self.fold(self.w_vs(v))
        attn = torch.bmm(q, k.transpose(1, 2)) / self.d_k**0.5
        if mask is not None:
            mask = mask[:, None, :].expand(b, n, m) if mask.dim() == 2 else mask.expand(b, 1, n, m)[:, 0]
            mask = mask.repeat(self.n_head, 1, 1)
            attn = attn.masked_fill(~mask, float("-inf"))
        out = torch.bmm(torch.softmax(attn, 2), v)
        out = out.view(b, self.n_head, n, self.d_k).permute(0, 2, 1, 3).reshape(b, n, c)
        return self.fc(out)
