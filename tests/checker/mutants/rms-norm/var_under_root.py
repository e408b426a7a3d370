# contract: rms-norm
# cause: variance-for-square
import torch
import torch.nn as nn


class RMSNorm(nn.Module):
    def __init__(self, d_model, eps=1e-6):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(d_model))
        self.eps = eps

    def forward(self, x):
        variance = x.var(dim=-1, keepdim=True, unbiased=False)
        return self.scale * x / torch.sqrt(variance + self.eps)
