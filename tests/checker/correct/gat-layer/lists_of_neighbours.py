# contract: gat-layer
import torch
import torch.nn as nn


class GraphAttentionLayer(nn.Module):
    """The graph comes as lists of neighbours: neighbors[i] are the nodes that node i attends to."""

    def __init__(self, in_features, out_features, n_heads=1):
        super().__init__()
        self.n_heads = n_heads
        self.W = nn.Linear(in_features, n_heads * out_features, bias=False)
        self.a = nn.Parameter(torch.randn(n_heads, 2 * out_features))
        self.out_features = out_features

    def forward(self, x, neighbors):
        h = self.W(x).view(x.shape[0], self.n_heads, self.out_features)
        out = torch.zeros_like(h)
        for i, nbrs in enumerate(neighbors):
            if len(nbrs) == 0:
                continue
            nbrs = torch.as_tensor(nbrs)
            pair = torch.cat([h[i].expand(len(nbrs), -1, -1), h[nbrs]], dim=-1)
            e = nn.functional.leaky_relu((pair * self.a).sum(-1), 0.2)
            out[i] = (torch.softmax(e, 0).unsqueeze(-1) * h[nbrs]).sum(0)
        return out.flatten(1)
