# contract: gat-layer
# convention: isolated-nan
import torch
import torch.nn as nn


class GraphAttentionLayer(nn.Module):
    def __init__(self, in_features, out_features, n_heads, is_concat=True, dropout=0.6, leaky_relu_negative_slope=0.2):
        super().__init__()
        self.is_concat, self.n_heads = is_concat, n_heads
        self.n_hidden = out_features
        self.linear = nn.Linear(in_features, self.n_hidden * n_heads, bias=False)
        self.attn_l = nn.Parameter(torch.randn(n_heads, self.n_hidden) * 0.3)
        self.attn_r = nn.Parameter(torch.randn(n_heads, self.n_hidden) * 0.3)
        self.activation = nn.LeakyReLU(negative_slope=leaky_relu_negative_slope)
        self.softmax = nn.Softmax(dim=1)
        self.dropout = nn.Dropout(dropout)

    def forward(self, h, adj_mat):
        n = h.shape[0]
        g = self.linear(h).view(n, self.n_heads, self.n_hidden)
        e = self.activation((g * self.attn_l).sum(-1)[:, None] + (g * self.attn_r).sum(-1)[None, :])
        e = e.masked_fill(adj_mat.reshape(n, n, 1) == 0, float("-inf"))
        a = self.dropout(self.softmax(e))
        attn_res = torch.einsum("ijh,jhf->ihf", a, g)
        return attn_res.reshape(n, -1) if self.is_concat else attn_res.mean(dim=1)
