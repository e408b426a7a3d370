# contract: gat-layer
# cause: softmax-unnormalised
import torch
import torch.nn as nn
import torch.nn.functional as F


class DenseGAT(nn.Module):
    def __init__(self, in_features, out_features, heads=1):
        super().__init__()
        self.heads, self.out = heads, out_features
        self.W = nn.Linear(in_features, heads * out_features, bias=False)
        self.a_self = nn.Parameter(torch.randn(heads, out_features) * 0.2)
        self.a_neigh = nn.Parameter(torch.randn(heads, out_features) * 0.2)

    def forward(self, x, adj):
        h = self.W(x).view(x.size(0), self.heads, self.out)
        s = torch.einsum("nhf,hf->hn", h, self.a_self)
        t = torch.einsum("nhf,hf->hn", h, self.a_neigh)
        e = F.leaky_relu(s[:, :, None] + t[:, None, :], 0.2)
        att = torch.exp(e) * (adj.reshape(adj.shape[0], -1) != 0)
        return torch.einsum("hij,jhf->ihf", att, h).flatten(1)
