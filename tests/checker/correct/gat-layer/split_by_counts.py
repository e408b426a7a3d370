# contract: gat-layer
import torch
from torch import nn


class GATConv(nn.Module):
    def __init__(self, in_channels, out_channels, heads=1, concat=True, negative_slope=0.2, dropout=0.0, add_self_loops=False, bias=True):
        super().__init__()
        self.heads, self.out_channels, self.concat = heads, out_channels, concat
        self.negative_slope, self.dropout, self.add_self_loops = negative_slope, dropout, add_self_loops
        self.lin_src = nn.Linear(in_channels, heads * out_channels, bias=False)
        self.att = nn.Parameter(torch.empty(2, heads, out_channels))
        self.bias = nn.Parameter(torch.zeros(heads * out_channels if concat else out_channels)) if bias else None
        nn.init.xavier_uniform_(self.att)

    def forward(self, x, edge_index, num_nodes):
        if self.add_self_loops:
            loop = torch.arange(num_nodes)
            edge_index = torch.cat([edge_index, torch.stack([loop, loop])], 1)
        src, dst = edge_index
        h = self.lin_src(x).view(-1, self.heads, self.out_channels)
        alpha = (h * self.att[0]).sum(-1)[src] + (h * self.att[1]).sum(-1)[dst]
        alpha = nn.functional.leaky_relu(alpha, self.negative_slope)
        order = torch.argsort(dst, stable=True)
        src, dst, alpha = src[order], dst[order], alpha[order]
        counts = torch.bincount(dst, minlength=num_nodes).tolist()
        out = []
        for a, s in zip(alpha.split(counts), src.split(counts)):
            w = nn.functional.dropout(torch.softmax(a, 0), self.dropout, self.training)
            out.append((w.unsqueeze(-1) * h[s]).sum(0))
        out = torch.stack(out)
        out = out.flatten(1) if self.concat else out.mean(1)
        return out + self.bias if self.bias is not None else out
