# contract: gat-layer
# cause: softmax-unstable
import torch
from torch import nn
from torch.nn import functional as F


class GATLayer(nn.Module):
    def __init__(self, inputs: int, outputs: int, heads: int = 1, slope: float = 0.2) -> None:
        super().__init__()
        self.heads, self.slope = heads, slope
        self.W = nn.Parameter(torch.empty(inputs, heads * outputs))
        self.a = nn.Parameter(torch.empty(heads, 2 * outputs))
        self.bias = nn.Parameter(torch.zeros(heads * outputs))
        nn.init.xavier_uniform_(self.W)
        nn.init.xavier_uniform_(self.a)

    def forward(self, x: torch.Tensor, edge_index: torch.Tensor) -> torch.Tensor:
        n = x.shape[0]
        j, i = edge_index
        wx = (x @ self.W).reshape(n, self.heads, -1)
        e = F.leaky_relu(torch.einsum("ehd,hd->eh", torch.cat((wx[i], wx[j]), -1), self.a), self.slope)
        num = torch.exp(e)
        den = torch.zeros(n, self.heads, dtype=x.dtype, device=x.device).index_add(0, i, num)
        w = num / den[i].clamp(min=1e-16)
        y = torch.zeros_like(wx).index_add(0, i, w.unsqueeze(-1) * wx[j])
        return y.reshape(n, -1) + self.bias
