# contract: gat-layer
# cause: softmax-sources
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch_geometric.utils import add_self_loops, remove_self_loops, scatter, softmax


class GATLayer(nn.Module):
    def __init__(self, in_features, out_features, num_heads=1, slope=0.2):
        super().__init__()
        self.num_heads = num_heads
        self.slope = slope
        self.proj = nn.Linear(in_features, num_heads * out_features, bias=False)
        self.a_source = nn.Parameter(torch.empty(1, num_heads, out_features))
        self.a_target = nn.Parameter(torch.empty(1, num_heads, out_features))
        nn.init.xavier_uniform_(self.a_source)
        nn.init.xavier_uniform_(self.a_target)

    def forward(self, x, edge_index):
        n = x.size(0)
        edge_index, _ = remove_self_loops(edge_index)
        edge_index, _ = add_self_loops(edge_index, num_nodes=n)
        src, dst = edge_index
        feats = self.proj(x).view(n, self.num_heads, -1)
        logits = (feats * self.a_source).sum(-1)[src] + (feats * self.a_target).sum(-1)[dst]
        logits = F.leaky_relu(logits, self.slope)
        alpha = softmax(logits, src, num_nodes=n)
        out = scatter(alpha.unsqueeze(-1) * feats[src], dst, dim=0, dim_size=n, reduce="sum")
        return out.reshape(n, -1)
