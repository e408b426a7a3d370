# contract: causal-attention
import torch.nn as nn


class CausalAttention(nn.Module)
    def forward(self, x):
        return x
