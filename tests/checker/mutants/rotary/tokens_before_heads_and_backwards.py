# contract: rotary
# cause: direction-reversed
import torch


class Rotary(torch.nn.Module):
    def __init__(self, dim, most=512):
        super().__init__()
        speed = 10000.0 ** (-torch.arange(0, dim, 2).double() / dim)
        self.register_buffer("angle", torch.arange(most).double()[:, None] * speed)

    def forward(self, x):
        angle = self.angle[None, : x.shape[1], None].to(x)
        one, two = x.chunk(2, -1)
        return torch.cat([one * angle.cos() + two * angle.sin(), two * angle.cos() - one * angle.sin()], -1)
