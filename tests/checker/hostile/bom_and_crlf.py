# contract: causal-attention
import torch.nn as nn


class CausalAttention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.lin = nn.Linear(width, width)

    def forward(self, x):
        return self.lin(x)
