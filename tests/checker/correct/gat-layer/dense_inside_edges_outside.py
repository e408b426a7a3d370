# contract: gat-layer
import torch
import torch.nn as nn


class GATLayer(nn.Module):
    """Takes edge_index, works with a dense mask; LeakyReLU written as a maximum."""

    def __init__(self, inputs, outputs, heads=1):
        super().__init__()
        self.h = heads
        self.lin = nn.Linear(inputs, heads * outputs, bias=False)
        self.a = nn.Parameter(torch.randn(heads, 2, outputs) * 0.3)

    def forward(self, x, edge_index):
        n = x.shape[0]
        z = self.lin(x).unflatten(1, (self.h, -1)).transpose(0, 1)  # (h, n, d)
        s = torch.einsum("hnd,hkd->khn", z, self.a)
        e = s[0].unsqueeze(2) + s[1].unsqueeze(1)
        e = torch.maximum(e, 0.2 * e)
        seen = torch.zeros(n, n, dtype=torch.bool, device=x.device)
        seen[edge_index[1], edge_index[0]] = True
        w = torch.nan_to_num(e.masked_fill(~seen, float("-inf")).softmax(-1))
        return (w @ z).transpose(0, 1).flatten(1)
