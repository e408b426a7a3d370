# contract: multi-head-attention
import torch
from torch import nn


class MHA(nn.Module):
    """Four parameters (heads, width, head width), the last one summed over heads and their channels."""

    def __init__(self, d, h):
        super().__init__()
        self.P_q, self.P_k, self.P_v, self.P_o = (
            nn.Parameter(torch.randn(h, d, d // h) / d**0.5) for _ in range(4)
        )

    def forward(self, X, M):
        q, k, v = (torch.einsum("bnd,hdk->bhnk", t, p) for t, p in ((X, self.P_q), (M, self.P_k), (M, self.P_v)))
        w = torch.softmax(q @ k.mT / q.shape[-1] ** 0.5, dim=-1)
        return torch.einsum("bhnv,hdv->bnd", w @ v, self.P_o)
