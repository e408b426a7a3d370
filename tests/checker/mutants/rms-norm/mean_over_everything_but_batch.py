# contract: rms-norm
# cause: axis-all
import torch


class RMSNorm(torch.nn.Module):
    def __init__(self, width, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.weight = torch.nn.Parameter(torch.ones(width))

    def forward(self, x):
        axes = tuple(range(1, x.dim()))
        ms = x.square().mean(dim=axes, keepdim=True)
        return x / torch.sqrt(ms + self.eps) * self.weight
