# contract: causal-attention
import torch.nn as nn


class CausalAttention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()

    def forward(self, x):
        return x


class CausalSelfAttention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()

    def forward(self, x):
        return 2 * x
