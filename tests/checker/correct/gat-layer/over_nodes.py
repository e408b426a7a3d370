# contract: gat-layer
import torch
from torch import nn
from torch.nn import functional as F


class GATLayer(nn.Module):
    def __init__(self, inputs: int, outputs: int, heads: int = 1, slope: float = 0.2) -> None:
        super().__init__()
        self.heads, self.outputs, self.slope = heads, outputs, slope
        self.W = nn.Parameter(torch.empty(inputs, heads * outputs))
        self.a = nn.Parameter(torch.empty(heads, 2 * outputs))
        self.bias = nn.Parameter(torch.zeros(heads * outputs))
        nn.init.xavier_uniform_(self.W)
        nn.init.xavier_uniform_(self.a)

    def forward(self, x: torch.Tensor, edge_index: torch.Tensor) -> torch.Tensor:
        src, dst = edge_index
        n = x.shape[0]
        h = (x @ self.W).view(n, self.heads, self.outputs)
        out = []
        for i in range(n):
            js = src[dst == i]
            if len(js) == 0:
                out.append(h.new_zeros(self.heads * self.outputs))
                continue
            parts = []
            for k in range(self.heads):
                pair = torch.cat([h[i, k].expand(len(js), -1), h[js, k]], dim=1)
                w = F.leaky_relu(pair @ self.a[k], self.slope).softmax(0)
                parts.append(w @ h[js, k])
            out.append(torch.cat(parts))
        return torch.stack(out) + self.bias
