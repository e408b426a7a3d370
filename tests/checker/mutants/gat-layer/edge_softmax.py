# contract: gat-layer
# cause: softmax-all-edges
import torch
import torch.nn as nn


class GraphAttention(nn.Module):
    """Graph attention over an edge list (2, E): row 0 sources, row 1 targets."""

    def __init__(self, d_in, d_out, n_heads=2):
        super().__init__()
        self.n_heads, self.d_out = n_heads, d_out
        self.lin = nn.Linear(d_in, n_heads * d_out, bias=False)
        self.att_src = nn.Parameter(torch.randn(n_heads, d_out) * 0.3)
        self.att_dst = nn.Parameter(torch.randn(n_heads, d_out) * 0.3)
        self.act = nn.LeakyReLU(0.2)

    def forward(self, x, edge_index):
        src, dst = edge_index[0], edge_index[1]
        h = self.lin(x).view(-1, self.n_heads, self.d_out)
        s = (h * self.att_src).sum(-1)
        t = (h * self.att_dst).sum(-1)
        logits = self.act(s[src] + t[dst])
        alpha = torch.softmax(logits, dim=0)
        msg = alpha.unsqueeze(-1) * h[src]
        out = torch.zeros_like(h)
        out.index_add_(0, dst, msg)
        return out.flatten(1)
