# contract: gcn-layer
# cause: self-loops-missing,row-normalised
import torch
from torch import Tensor, nn


class GraphConvLayer(nn.Module):
    def __init__(self, input_dim: int, output_dim: int):
        super().__init__()
        self.W = nn.Parameter(torch.empty(input_dim, output_dim))
        self.b = nn.Parameter(torch.zeros(output_dim))
        nn.init.xavier_normal_(self.W)

    def forward(self, x: Tensor, adj: Tensor) -> Tensor:
        deg = adj.sum(-1, keepdim=True).clamp(min=1.0)
        h = torch.einsum("ij,jc->ic", (adj / deg), x)
        return torch.einsum("ic,co->io", h, self.W) + self.b
