# contract: gat-layer
import torch
import torch.nn as nn
import torch.nn.functional as F


class GraphAttentionLayer(nn.Module):
    """Dense graph attention, every node also attends to itself."""

    def __init__(self, in_features, out_features, n_heads=1, alpha=0.2):
        super().__init__()
        self.n_heads, self.out_features, self.alpha = n_heads, out_features, alpha
        self.W = nn.Parameter(torch.empty(in_features, n_heads * out_features))
        self.a = nn.Parameter(torch.empty(n_heads, 2 * out_features))
        nn.init.xavier_uniform_(self.W)
        nn.init.xavier_uniform_(self.a)

    def forward(self, h, adj):
        n = h.shape[0]
        mask = (adj > 0) | torch.eye(n, dtype=torch.bool, device=adj.device)
        Wh = (h @ self.W).view(n, self.n_heads, self.out_features)
        own = (Wh * self.a[:, :self.out_features]).sum(-1)
        nb = (Wh * self.a[:, self.out_features:]).sum(-1)
        e = F.leaky_relu(own[:, None, :] + nb[None, :, :], self.alpha)
        e = e.masked_fill(~mask[:, :, None], float('-inf'))
        w = torch.softmax(e, dim=1)
        return torch.einsum('ijh,jhd->ihd', w, Wh).reshape(n, -1)
