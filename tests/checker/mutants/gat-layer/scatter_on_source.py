# contract: gat-layer
# cause: softmax-sources
import torch
import torch.nn as nn
import torch.nn.functional as F


def edge_softmax(score, index, n):
    top = torch.full((n, score.size(1)), -1e9, dtype=score.dtype)
    top = top.scatter_reduce(0, index[:, None].expand_as(score), score, reduce="amax")
    e = torch.exp(score - top[index])
    total = torch.zeros(n, score.size(1), dtype=score.dtype).index_add(0, index, e)
    return e / (total[index] + 1e-16)


class GraphAttention(nn.Module):
    def __init__(self, in_features, out_features, heads=1):
        super().__init__()
        self.heads, self.out_features = heads, out_features
        self.W = nn.Linear(in_features, heads * out_features, bias=False)
        self.a_src = nn.Parameter(torch.empty(1, heads, out_features))
        self.a_dst = nn.Parameter(torch.empty(1, heads, out_features))
        nn.init.xavier_uniform_(self.a_src)
        nn.init.xavier_uniform_(self.a_dst)

    def forward(self, x, edge_index):
        src, dst = edge_index[0], edge_index[1]
        n = x.size(0)
        h = self.W(x).view(n, self.heads, self.out_features)
        score = F.leaky_relu((h * self.a_src).sum(-1)[src] + (h * self.a_dst).sum(-1)[dst], 0.2)
        alpha = edge_softmax(score, src, n)
        out = torch.zeros_like(h).index_add(0, dst, h[src] * alpha.unsqueeze(-1))
        return out.reshape(n, -1)
