# contract: rms-norm
# cause: axis-tokens
import torch
from torch import nn


class RMSNorm(nn.Module):
    def __init__(self, d, eps=1e-8):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(d))
        self.eps = eps

    def forward(self, x):
        T = x.shape[-2]
        ms = torch.einsum("...td,...td->...d", x, x) / T
        r = (ms + self.eps).sqrt()
        return torch.einsum("...td,...d,d->...td", x, 1 / r, self.scale)
