# contract: gcn-layer
# cause: direction-reversed
import torch
import torch.nn as nn


class GCNConv(nn.Module):
    def __init__(self, in_channels: int, out_channels: int):
        super().__init__()
        self.lin = nn.Linear(in_channels, out_channels, bias=False)
        self.bias = nn.Parameter(torch.zeros(out_channels))

    def forward(self, x: torch.Tensor, edge_index: torch.Tensor) -> torch.Tensor:
        num_nodes = x.shape[0]
        loop = torch.arange(num_nodes, device=x.device)
        edge_index = torch.cat([edge_index, torch.stack([loop, loop])], dim=1)
        row, col = edge_index

        deg = torch.bincount(row, minlength=num_nodes).to(x.dtype)
        deg_inv_sqrt = deg.pow(-0.5)
        norm = deg_inv_sqrt[row] * deg_inv_sqrt[col]

        h = self.lin(x)
        out = torch.zeros_like(h)
        out.index_add_(0, row, norm.view(-1, 1) * h[col])
        return out + self.bias
