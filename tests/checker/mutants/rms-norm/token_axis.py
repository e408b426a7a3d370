# contract: rms-norm
# cause: axis-tokens
import torch


class RMSNorm(torch.nn.Module):
    def __init__(self, d_model: int, eps: float = 1e-8):
        super().__init__()
        self.g = torch.nn.Parameter(torch.ones(d_model))
        self.eps = eps

    def forward(self, x):
        # x: batch, time, channels
        ms = torch.mean(x.square(), dim=1, keepdim=True)
        return self.g * x / torch.sqrt(ms + self.eps)
