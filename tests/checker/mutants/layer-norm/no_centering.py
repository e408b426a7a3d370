# contract: layer-norm
# cause: mean-kept
import torch
import torch.nn as nn


class LayerNorm(nn.Module):
    def __init__(self, hidden_size, eps=1e-12):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(hidden_size))
        self.bias = nn.Parameter(torch.zeros(hidden_size))
        self.eps = eps

    def forward(self, x):
        s = x.pow(2).mean(-1, keepdim=True)
        return self.weight * (x / torch.sqrt(s + self.eps)) + self.bias
