# contract: gat-layer
# cause: mask-after-softmax
import torch
from torch import nn
from torch import Tensor


class DenseGAT(nn.Module):
    def __init__(self, inputs: int, outputs: int, heads: int = 2, slope: float = 0.2):
        super().__init__()
        self.heads, self.outputs = heads, outputs
        self.linear = nn.Linear(inputs, heads * outputs, bias=False)
        self.a = nn.Parameter(torch.randn(heads, 2 * outputs) * 0.5)
        self.act = nn.LeakyReLU(slope)

    def forward(self, x: Tensor, adj: Tensor) -> Tensor:
        n = x.shape[0]
        adj = adj.clone().to(x.dtype)
        adj.fill_diagonal_(1.0)
        h = self.linear(x).view(n, self.heads, self.outputs).transpose(0, 1)
        a_i, a_j = self.a.chunk(2, dim=1)
        s_i = h @ a_i.unsqueeze(-1)
        s_j = (h @ a_j.unsqueeze(-1)).transpose(1, 2)
        e = self.act(s_i + s_j)
        attn = torch.softmax(e, dim=-1) * adj
        out = attn @ h
        return out.transpose(0, 1).reshape(n, -1)
