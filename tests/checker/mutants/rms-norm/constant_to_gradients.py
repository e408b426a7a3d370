# contract: rms-norm
# cause: gradient-cut
import torch


class RMSNorm(torch.nn.Module):
    def __init__(self, width, eps=1e-6):
        super().__init__()
        self.eps, self.gain = eps, torch.nn.Parameter(torch.ones(width))

    def forward(self, x):
        h = x.float() if x.dtype in (torch.float16, torch.bfloat16) else x
        root = (h.detach().square().mean(-1, keepdim=True) + self.eps).sqrt()
        return (h / root).to(x.dtype) * self.gain
