# contract: gat-layer
# cause: heads-averaged
import torch
import torch.nn as nn
import torch.nn.functional as F


class MultiHeadGAT(nn.Module):
    """heads side by side: output (n, heads * outputs)."""

    def __init__(self, inputs, outputs, heads=3):
        super().__init__()
        self.W = nn.Parameter(torch.randn(heads, inputs, outputs) / inputs**0.5)
        self.a = nn.Parameter(torch.randn(heads, 2 * outputs) / outputs**0.5)
        self.outputs = outputs

    def forward(self, x, adj):
        h = torch.einsum("nf,hfo->hno", x, self.W)
        left = torch.einsum("hno,ho->hn", h, self.a[:, : self.outputs])
        right = torch.einsum("hno,ho->hn", h, self.a[:, self.outputs :])
        e = F.leaky_relu(left[:, :, None] + right[:, None, :], 0.2)
        edge = (adj > 0)[None]
        w = e.masked_fill(~edge, -1e12).softmax(-1) * edge
        return (w @ h).mean(0)
