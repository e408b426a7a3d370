# contract: causal-attention
# target: Kopfbund
import torch
from torch import nn

breite, fenster = 36, 40


class Kopf(nn.Module):
    def __init__(self, kopfbreite):
        super().__init__()
        self.key = nn.Linear(breite, kopfbreite, bias=False)
        self.query = nn.Linear(breite, kopfbreite, bias=False)
        self.value = nn.Linear(breite, kopfbreite, bias=False)
        self.register_buffer("past", torch.tril(torch.ones(fenster, fenster)))

    def forward(self, x):
        n = x.shape[1]
        k, q = self.key(x), self.query(x)
        scores = (q @ k.mT) / k.shape[-1] ** 0.5
        scores = scores.masked_fill(self.past[:n, :n] == 0, float("-inf"))
        return scores.softmax(-1) @ self.value(x)


class Kopfbund(nn.Module):
    """The heads together must be as wide as the file says, or the projection does not fit."""

    def __init__(self, num_heads, head_size):
        super().__init__()
        self.heads = nn.ModuleList([Kopf(head_size) for _ in range(num_heads)])
        self.proj = nn.Linear(breite, breite)

    def forward(self, x):
        return self.proj(torch.cat([head(x) for head in self.heads], dim=-1))
