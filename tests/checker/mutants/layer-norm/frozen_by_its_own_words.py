# contract: layer-norm
# cause: weights-unregistered
# target: Norm
import torch


class Norm:
    """Layer norm by hand, without nn.Module."""

    def __init__(self, width: int):
        self.gain = torch.ones(width, requires_grad=False)
        self.shift = torch.zeros(width, requires_grad=False)

    def forward(self, x):
        centred = x - x.mean(-1, keepdim=True)
        return centred / (centred.square().mean(-1, keepdim=True) + 1e-5).sqrt() * self.gain + self.shift

    def backward(self, slope):
        return slope * self.gain
