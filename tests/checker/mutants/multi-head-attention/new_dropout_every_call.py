# contract: multi-head-attention
# cause: dropout-in-eval
import torch
import torch.nn as nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_head, dropout=0.2):
        super().__init__()
        self.n_head = n_head
        self.dropout = dropout
        self.w_qs = nn.Linear(d_model, d_model, bias=False)
        self.w_ks = nn.Linear(d_model, d_model, bias=False)
        self.w_vs = nn.Linear(d_model, d_model, bias=False)
        self.fc = nn.Linear(d_model, d_model, bias=False)

    def forward(self, q, k, v, mask=None):
        b, n, c = q.shape
        q = self.w_qs(q).view(b, n, self.n_head, -1).transpose(1, 2)
        k = self.w_ks(k).view(b, k.size(1), self.n_head, -1).transpose(1, 2)
        v = self.w_vs(v).view(b, v.size(1), self.n_head, -1).transpose(1, 2)
        attn = torch.matmul(q / q.size(-1) ** 0.5, k.transpose(2, 3))
        if mask is not None:
            attn = attn.masked_fill(mask[:, None, None, :] == 0, -1e9)
        attn = nn.Dropout(self.dropout)(attn.softmax(dim=-1))
        out = torch.matmul(attn, v).transpose(1, 2).contiguous().view(b, n, c)
        return self.fc(out)
