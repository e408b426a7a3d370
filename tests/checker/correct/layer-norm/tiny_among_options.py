# contract: layer-norm
# target: Normalizer
import torch
from torch import nn


class Normalizer(nn.Module):
    """Layer norm from an options dictionary."""

    def __init__(self, options):
        super().__init__()
        self.gain = nn.Parameter(torch.ones(options["width"]))
        self.offset = nn.Parameter(torch.zeros(options["width"])) if options["with_bias"] else None
        self.tiny = options["tiny"]

    def forward(self, x):
        c = x - x.mean(-1, keepdim=True)
        y = self.gain * c / (c.pow(2).mean(-1, keepdim=True) + self.tiny).sqrt()
        return y if self.offset is None else y + self.offset
