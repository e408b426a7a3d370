# contract: gat-layer
# cause: heads-merge-view
import torch
import torch.nn as nn
import torch.nn.functional as F


class GATLayer(nn.Module):
    def __init__(self, c_in, c_out, num_heads=3, alpha=0.2):
        super().__init__()
        self.num_heads = num_heads
        self.c_out = c_out
        self.alpha = alpha
        self.W = nn.Parameter(torch.empty(num_heads, c_in, c_out))
        self.a = nn.Parameter(torch.empty(num_heads, 2 * c_out, 1))
        nn.init.xavier_uniform_(self.W, gain=1.414)
        nn.init.xavier_uniform_(self.a, gain=1.414)

    def forward(self, node_feats, adj_matrix):
        n = node_feats.size(0)
        loops = torch.eye(n, device=adj_matrix.device, dtype=adj_matrix.dtype)
        connected = torch.maximum(adj_matrix, loops) > 0

        h = torch.matmul(node_feats.unsqueeze(0), self.W)  # heads, n, c_out
        own = torch.matmul(h, self.a[:, : self.c_out])
        other = torch.matmul(h, self.a[:, self.c_out :])
        logits = F.leaky_relu(own + other.transpose(-1, -2), self.alpha)
        logits = logits.masked_fill(~connected, float("-inf"))
        probs = F.softmax(logits, dim=-1)

        out = torch.matmul(probs, h)
        return out.reshape(n, self.num_heads * self.c_out)
