# contract: causal-attention
# cause: heads-merge-view
import math
import torch
import torch.nn as nn


class CausalAttn(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.h = heads
        self.Wq = nn.Linear(width, width, bias=False)
        self.Wk = nn.Linear(width, width, bias=False)
        self.Wv = nn.Linear(width, width, bias=False)
        self.Wo = nn.Linear(width, width, bias=False)

    def forward(self, x):
        b, n, c = x.shape
        d = c // self.h
        q = self.Wq(x).view(b, n, self.h, d).permute(0, 2, 1, 3)
        k = self.Wk(x).view(b, n, self.h, d).permute(0, 2, 3, 1)
        v = self.Wv(x).view(b, n, self.h, d).permute(0, 2, 1, 3)
        s = q.matmul(k) / math.sqrt(d)
        s = s + torch.full((n, n), float("-inf"), device=x.device, dtype=x.dtype).triu(1)
        o = torch.softmax(s, -1).matmul(v)  # (b, h, n, d)
        return self.Wo(o.contiguous().view(b, n, c))
