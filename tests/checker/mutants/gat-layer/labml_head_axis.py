# contract: gat-layer
# cause: softmax-heads
import torch
import torch.nn as nn


class GraphAttentionLayer(nn.Module):
    def __init__(self, in_features, out_features, n_heads):
        super().__init__()
        self.n_heads, self.n_hidden = n_heads, out_features
        self.linear = nn.Linear(in_features, n_heads * out_features, bias=False)
        self.attn_l = nn.Parameter(torch.randn(n_heads, out_features) * 0.3)
        self.attn_r = nn.Parameter(torch.randn(n_heads, out_features) * 0.3)
        self.activation = nn.LeakyReLU(0.2)

    def forward(self, h, adj_mat):
        n = h.shape[0]
        g = self.linear(h).view(n, self.n_heads, self.n_hidden)
        left = (g * self.attn_l).sum(-1)
        right = (g * self.attn_r).sum(-1)
        e = self.activation(left[:, None, :] + right[None, :, :])
        a = torch.softmax(e, dim=-1)
        if adj_mat.dim() == 2:
            adj_mat = adj_mat.unsqueeze(-1)
        a = a * (adj_mat != 0)
        return torch.einsum("ijh,jhf->ihf", a, g).reshape(n, -1)
