# contract: causal-attention
import torch
import torch.nn as nn


def repeat_kv(x: torch.Tensor, n_rep: int) -> torch.Tensor:
    bs, slen, n_kv_heads, head_dim = x.shape
    if n_rep == 1:
        return x
    return x[:, :, :, None, :].expand(bs, slen, n_kv_heads, n_rep, head_dim).reshape(bs, slen, n_kv_heads * n_rep, head_dim)


class Attention(nn.Module):
    def __init__(self, dim: int, n_heads: int, n_kv_heads: int = 2):
        super().__init__()
        self.n_heads, self.n_kv_heads, self.head_dim = n_heads, n_kv_heads, dim // n_heads
        self.wq = nn.Linear(dim, n_heads * self.head_dim, bias=False)
        self.wk = nn.Linear(dim, n_kv_heads * self.head_dim, bias=False)
        self.wv = nn.Linear(dim, n_kv_heads * self.head_dim, bias=False)
        self.wo = nn.Linear(n_heads * self.head_dim, dim, bias=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        bsz, seqlen, _ = x.shape
        xq = self.wq(x).view(bsz, seqlen, self.n_heads, self.head_dim)
        keys = repeat_kv(self.wk(x).view(bsz, seqlen, self.n_kv_heads, self.head_dim), self.n_heads // self.n_kv_heads)
        values = repeat_kv(self.wv(x).view(bsz, seqlen, self.n_kv_heads, self.head_dim), self.n_heads // self.n_kv_heads)
        scores = torch.einsum("bqhd,bkhd->bhqk", xq, keys) * self.head_dim ** -0.5
        mask = torch.full((seqlen, seqlen), float("-inf"), device=x.device, dtype=scores.dtype).triu(1)
        probs = torch.softmax(scores + mask, dim=-1)
        return self.wo(torch.einsum("bhqk,bkhd->bqhd", probs, values).reshape(bsz, seqlen, -1))
