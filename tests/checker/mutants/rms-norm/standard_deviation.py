# contract: rms-norm
# cause: variance-for-square
import torch
import torch.nn as nn


class RMSNorm(nn.Module):
    def __init__(self, features, eps=1e-6):
        super().__init__()
        self.gain = nn.Parameter(torch.ones(features))
        self.eps = eps

    def forward(self, x):
        sigma = x.std(dim=-1, keepdim=True)
        return self.gain * x / (sigma + self.eps)
