# contract: layer-norm
# target: LayerNorm
import torch


class LayerNorm:
    """The numbers that backward needs come beside the output."""

    @staticmethod
    def forward(x, w, b):
        mean = x.mean(-1, keepdim=True)
        root = (x.var(-1, keepdim=True, correction=0) + 1e-5).sqrt()
        return (x - mean) / root * w + b, (mean, root)
