# contract: gat-layer
# cause: dropout-in-eval
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch_geometric.utils import softmax as segment_softmax


class GATLayer(nn.Module):
    def __init__(self, in_dim, out_dim, num_heads=4, dropout=0.3, slope=0.2):
        super().__init__()
        self.num_heads = num_heads
        self.out_dim = out_dim
        self.dropout = dropout
        self.slope = slope
        self.fc = nn.Linear(in_dim, num_heads * out_dim, bias=False)
        self.attn_dst = nn.Parameter(torch.empty(num_heads, out_dim))
        self.attn_src = nn.Parameter(torch.empty(num_heads, out_dim))
        nn.init.xavier_normal_(self.attn_dst)
        nn.init.xavier_normal_(self.attn_src)

    def forward(self, x, edge_index):
        src, dst = edge_index
        N = x.size(0)
        feat = self.fc(x).view(N, self.num_heads, self.out_dim)
        el = (feat * self.attn_src).sum(dim=-1)
        er = (feat * self.attn_dst).sum(dim=-1)
        e = F.leaky_relu(el[src] + er[dst], negative_slope=self.slope)
        alpha = segment_softmax(e, dst, num_nodes=N)
        alpha = F.dropout(alpha, p=self.dropout)
        rst = feat.new_zeros(N, self.num_heads, self.out_dim)
        rst = rst.index_add(0, dst, alpha.unsqueeze(-1) * feat[src])
        return rst.reshape(N, -1)
