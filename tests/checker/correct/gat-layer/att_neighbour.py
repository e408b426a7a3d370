# contract: gat-layer
import torch
import torch.nn as nn


class DenseGAT(nn.Module):
    def __init__(self, in_features: int, out_features: int, num_heads: int = 1, bias: bool = True):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(in_features, num_heads, out_features) * in_features ** -0.5)
        self.att_self = nn.Parameter(torch.randn(num_heads, out_features) * out_features ** -0.5)
        self.att_neighbour = nn.Parameter(torch.randn(num_heads, out_features) * out_features ** -0.5)
        self.bias = nn.Parameter(torch.zeros(num_heads * out_features)) if bias else None

    def forward(self, x, adj):
        z = torch.einsum("ni,ihd->hnd", x, self.weight)
        own = torch.einsum("hnd,hd->hn", z, self.att_self)
        other = torch.einsum("hnd,hd->hn", z, self.att_neighbour)
        e = own[:, :, None] + other[:, None, :]
        e = torch.where(e > 0, e, 0.2 * e)
        linked = adj != 0
        e = e.masked_fill(~linked, torch.finfo(e.dtype).min)
        w = torch.softmax(e, dim=-1) * linked
        y = torch.einsum("hij,hjd->ihd", w, z).flatten(1)
        return y if self.bias is None else y + self.bias
