# contract: causal-attention
import torch
import torch.nn as nn
import torch.nn.functional as F


class Attention(nn.Module):
    def __init__(self, dim: int, n_heads: int):
        super().__init__()
        self.n_heads = n_heads
        self.head_dim = dim // n_heads
        self.wq = nn.Linear(dim, dim, bias=False)
        self.wk = nn.Linear(dim, dim, bias=False)
        self.wv = nn.Linear(dim, dim, bias=False)
        self.wo = nn.Linear(dim, dim, bias=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        bsz, seqlen, _ = x.shape
        xq, xk, xv = (f(x).view(bsz, seqlen, self.n_heads, self.head_dim).transpose(1, 2) for f in (self.wq, self.wk, self.wv))
        mask = torch.full((seqlen, seqlen), float("-inf"), device=x.device, dtype=x.dtype)
        mask = torch.triu(mask, diagonal=1)
        scores = torch.matmul(xq, xk.transpose(2, 3)) / self.head_dim ** 0.5 + mask
        scores = F.softmax(scores.float(), dim=-1).type_as(xq) if x.dtype != torch.float64 else F.softmax(scores, dim=-1)
        output = torch.matmul(scores, xv).transpose(1, 2).contiguous().view(bsz, seqlen, -1)
        return self.wo(output)
