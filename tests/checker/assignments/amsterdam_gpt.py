"""A GPT with rotary positions; the norm, the rotation and the attention are to be filled in."""

import math

import torch
import torch.nn as nn
import torch.nn.functional as F
from cfg import CfgNode as CN
from utils import load_pretrained


class RMSNorm(nn.Module):
    """A gain for every channel over the root of the mean square."""

    def __init__(self, dim: int, eps: float = 1e-6) -> None:
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(dim))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        rms = torch.sqrt(x.pow(2).mean(dim=-1, keepdim=True) + self.eps)
        return self.weight * (x / rms)


class CausalSelfAttention(nn.Module):
    """Several heads, a causal mask, rotary positions unless there are absolute ones."""

    def __init__(self, config: CN, debug: bool = False) -> None:
        super().__init__()
        assert config.n_embd % config.n_head == 0
        self.debug = debug
        self.config = config
        self.c_attn = nn.Linear(config.n_embd, 3 * config.n_embd)
        self.c_proj = nn.Linear(config.n_embd, config.n_embd)
        self.use_flash_attn = config.use_flash_attn
        self.attn_dropout = nn.Dropout(config.attn_pdrop)
        self.resid_dropout = nn.Dropout(config.resid_pdrop)
        self.n_head, self.n_embd = config.n_head, config.n_embd
        if not config.abs_emb:
            dim = config.n_embd // config.n_head
            self.register_buffer("inv_freq", 1.0 / (10000 ** (torch.arange(0, dim, 2).float() / dim)))
        size = config.block_size
        self.register_buffer("mask", torch.tril(torch.ones(size, size)).view(1, 1, size, size))

    def apply_rotary_emb(self, xq: torch.Tensor, xk: torch.Tensor, T: int):
        seq_pos = torch.arange(T, device=xq.device, dtype=self.inv_freq.dtype)
        freqs = torch.outer(seq_pos, self.inv_freq)
        pos_emb = torch.cat([freqs, freqs], dim=-1)[None, None]
        sin, cos = pos_emb.sin().to(xq.dtype), pos_emb.cos().to(xq.dtype)

        def rotate_half(x):
            one, two = x.chunk(2, dim=-1)
            return torch.cat([-two, one], dim=-1)

        return xq * cos + rotate_half(xq) * sin, xk * cos + rotate_half(xk) * sin

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        B, T, C = x.size()
        q, k, v = self.c_attn(x).split(self.n_embd, dim=2)
        q, k, v = (t.view(B, T, self.n_head, C // self.n_head).transpose(1, 2) for t in (q, k, v))
        if not self.config.abs_emb:
            q, k = self.apply_rotary_emb(q, k, T)
        if self.use_flash_attn:
            y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        else:
            att = (q @ k.transpose(-2, -1)) / math.sqrt(k.size(-1))
            att = att.masked_fill(self.mask[:, :, :T, :T] == 0, float("-inf"))
            att = self.attn_dropout(F.softmax(att, dim=-1))
            y = att @ v
        y = y.transpose(1, 2).contiguous().view(B, T, C)
        y = self.resid_dropout(self.c_proj(y))
        return y if not self.debug else {"att_probs": att, "q": q, "k": k, "v": v}
