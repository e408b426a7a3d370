# contract: rotary
# target: RotaryEncoding
import torch
from torch import nn


class RotaryEncoding(nn.Module):
    def __init__(self, width, theta=1e6):
        super().__init__()
        self.register_buffer("speed", theta ** (-torch.arange(0, width, 2) / width), persistent=False)

    def angles(self, ids):
        phase = ids[:, None, :, None] * self.speed
        return torch.complex(phase.cos(), phase.sin())

    def forward(self, x, ids=None, pos_emb=None):
        """x (b, h, n, d), with the ids (b, n) of its tokens or what `angles` made of them."""
        turned = torch.view_as_complex(x.unflatten(-1, (-1, 2)).contiguous())
        turned = turned * (self.angles(ids) if pos_emb is None else pos_emb)
        return torch.view_as_real(turned).flatten(-2)
