# contract: gat-layer
import torch
from torch import nn
from torch.nn import functional as F


class GraphAttentionLayer(nn.Module):
    def __init__(self, in_features, out_features, heads=1, slope=0.2):
        super().__init__()
        self.slope = slope
        self.W = nn.Parameter(torch.randn(heads, in_features, out_features) / in_features**0.5)
        self.a_own = nn.Parameter(torch.randn(heads, out_features) / out_features**0.5)
        self.a_other = nn.Parameter(torch.randn(heads, out_features) / out_features**0.5)
        self.bias = nn.Parameter(torch.zeros(heads * out_features))

    def forward(self, x, adj):
        n = x.shape[0]
        h = torch.einsum("ni,hio->nho", x, self.W)
        e = torch.einsum("nho,ho->nh", h, self.a_own)[:, None] + torch.einsum("nho,ho->nh", h, self.a_other)[None]
        e = F.leaky_relu(e, self.slope)
        seen = adj.bool() | torch.eye(n, dtype=torch.bool, device=x.device)
        w = e.masked_fill(~seen[..., None], float("-inf")).softmax(dim=1)
        return torch.einsum("ijh,jho->iho", w, h).flatten(1) + self.bias
