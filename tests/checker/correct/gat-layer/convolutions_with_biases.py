# contract: gat-layer
import torch
import torch.nn as nn
import torch.nn.functional as F


class GraphAttentionLayer(nn.Module):
    """conv1d formulation of graph attention; input (nodes, features)."""

    def __init__(self, in_sz, out_sz, heads=1):
        super().__init__()
        self.heads = heads
        self.fts = nn.ModuleList([nn.Conv1d(in_sz, out_sz, 1, bias=False) for _ in range(heads)])
        self.f1 = nn.ModuleList([nn.Conv1d(out_sz, 1, 1) for _ in range(heads)])
        self.f2 = nn.ModuleList([nn.Conv1d(out_sz, 1, 1) for _ in range(heads)])

    def forward(self, seq, adj):
        x = seq.t().unsqueeze(0)
        bias_mat = (1.0 - (adj != 0).to(seq.dtype)) * -1e9
        outs = []
        for conv, f1, f2 in zip(self.fts, self.f1, self.f2):
            s = conv(x)
            logits = f1(s).transpose(1, 2) + f2(s)
            coefs = F.softmax(F.leaky_relu(logits, 0.2) + bias_mat, dim=-1)
            outs.append((coefs @ s.transpose(1, 2)).squeeze(0))
        return torch.cat(outs, -1)
