# contract: gat-layer
# says: tanh & leaky
import torch
from torch import nn
from torch.nn import functional as F


class GATLayer(nn.Module):
    def __init__(self, in_features, out_features, heads=1):
        super().__init__()
        self.heads, self.d = heads, out_features
        self.W = nn.Linear(in_features, heads * out_features, bias=False)
        self.a_target = nn.Parameter(torch.randn(heads, out_features))
        self.a_source = nn.Parameter(torch.randn(heads, out_features))
        self.bias = nn.Parameter(torch.zeros(heads * out_features))

    def forward(self, x, adj):
        n = x.shape[0]
        h = self.W(x).view(n, self.heads, self.d)
        own = (h * self.a_target).sum(-1)
        other = (h * self.a_source).sum(-1)
        e = own[:, None] + other[None, :]
        e = torch.tanh(e)
        e = e.masked_fill(adj[..., None] == 0, float("-inf"))
        alpha = torch.softmax(e, dim=1)
        out = torch.einsum("ijh,jhd->ihd", alpha, h)
        return out.reshape(n, -1) + self.bias
