# contract: gat-layer
# cause: mask-after-softmax
import torch
import torch.nn as nn
import torch.nn.functional as F


class MultiHeadGAT(nn.Module):
    def __init__(self, in_dim, out_dim, num_heads):
        super().__init__()
        self.num_heads, self.out_dim = num_heads, out_dim
        self.fc = nn.Linear(in_dim, num_heads * out_dim, bias=False)
        self.attn_src = nn.Parameter(torch.randn(num_heads, out_dim) * 0.3)
        self.attn_dst = nn.Parameter(torch.randn(num_heads, out_dim) * 0.3)

    def forward(self, x, adj):
        n = x.size(0)
        adj = adj.view(n, n)
        z = self.fc(x).view(n, self.num_heads, self.out_dim).permute(1, 0, 2)
        me = (z * self.attn_dst[:, None]).sum(-1, keepdim=True)
        other = (z * self.attn_src[:, None]).sum(-1, keepdim=True)
        e = F.leaky_relu(me + other.transpose(1, 2), 0.2)
        alpha = torch.softmax(e, dim=-1).masked_fill(adj == 0, 0)
        return (alpha @ z).permute(1, 0, 2).reshape(n, -1)
