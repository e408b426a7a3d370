# contract: multi-head-attention
import torch
from torch import nn


class CrossAttention(nn.Module):
    """The target asks, the source answers; the source is given first."""

    def __init__(self, embedding_dim):
        super().__init__()
        self.keys = nn.Linear(embedding_dim, embedding_dim)
        self.queries = nn.Linear(embedding_dim, embedding_dim)
        self.values = nn.Linear(embedding_dim, embedding_dim)
        self.root = embedding_dim**0.5

    def forward(self, source_sequence, target_sequence):
        scores = self.queries(target_sequence) @ self.keys(source_sequence).transpose(1, 2) / self.root
        return torch.softmax(scores, dim=-1) @ self.values(source_sequence)
