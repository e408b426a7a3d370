# contract: causal-attention
# cause: mask-after-softmax
import torch
import torch.nn as nn


class CausalAttention(nn.Module):
    def __init__(self, embed_dim, num_heads):
        super().__init__()
        self.embed_dim, self.num_heads = embed_dim, num_heads
        self.query = nn.Linear(embed_dim, embed_dim)
        self.key = nn.Linear(embed_dim, embed_dim)
        self.value = nn.Linear(embed_dim, embed_dim)
        self.fc_out = nn.Linear(embed_dim, embed_dim)

    def forward(self, x):
        N, L, E = x.shape
        hd = E // self.num_heads
        q = self.query(x).reshape(N, L, self.num_heads, hd)
        k = self.key(x).reshape(N, L, self.num_heads, hd)
        v = self.value(x).reshape(N, L, self.num_heads, hd)
        energy = torch.einsum("nqhd,nkhd->nhqk", [q, k])
        attention = torch.softmax(energy / (hd ** (1 / 2)), dim=3)
        attention = attention * torch.tril(torch.ones(L, L, device=x.device))
        out = torch.einsum("nhql,nlhd->nqhd", [attention, v]).reshape(N, L, E)
        return self.fc_out(out)
