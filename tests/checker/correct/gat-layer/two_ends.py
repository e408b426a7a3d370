# contract: gat-layer
import torch
import torch.nn as nn
import torch.nn.functional as F


class GATLayer(nn.Module):
    """Edges as two vectors: senders and receivers."""

    def __init__(self, nin, nout, nheads, bias=True):
        super().__init__()
        self.nheads, self.nout = nheads, nout
        self.lin = nn.Linear(nin, nheads * nout, bias=bias)
        self.a = nn.Linear(2 * nout, 1, bias=False)

    def forward(self, x, senders, receivers):
        n = x.shape[0]
        h = self.lin(x).view(n, self.nheads, self.nout)
        e = F.leaky_relu(self.a(torch.cat([h[receivers], h[senders]], -1)).squeeze(-1), 0.2)
        m = torch.full((n, self.nheads), -1e30, dtype=x.dtype)
        m.scatter_reduce_(0, receivers[:, None].expand_as(e), e.detach(), "amax")
        p = torch.exp(e - m[receivers])
        z = torch.zeros(n, self.nheads, dtype=x.dtype).index_add(0, receivers, p)
        w = p / z[receivers]
        out = torch.zeros_like(h).index_add(0, receivers, w[:, :, None] * h[senders])
        return out.flatten(1)
