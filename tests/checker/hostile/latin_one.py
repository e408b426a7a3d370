# contract: causal-attention
import torch.nn as nn


class CausalAttention(nn.Module):
    """Aufmerksamkeit für die Übung"""

    def __init__(self, width, heads):
        super().__init__()
        self.größe = width
        self.lin = nn.Linear(width, width)

    def forward(self, x):
        return self.lin(x)
