# contract: causal-attention
import inspect
import torch
import torch.nn as nn


class CausalAttention(nn.Module):
    __signature__ = "not a signature"

    def __init__(self, *args, **kwargs):
        super().__init__()
        self.lin = nn.Linear(24, 24)

    def forward(self, *args, **kwargs):
        return self.lin(args[0])
