# contract: rms-norm
# cause: size-dependent
import torch


class RMSNorm(torch.nn.Module):
    def __init__(self, width, eps=1e-6):
        super().__init__()
        self.eps, self.gain = eps, torch.nn.Parameter(torch.ones(width))

    def forward(self, x):
        axis = 2 if x.dim() == 3 else 0
        return x * torch.rsqrt(x.square().mean(axis, keepdim=True) + self.eps) * self.gain
