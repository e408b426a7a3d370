# contract: gcn-layer
# cause: laplacian
import torch
from torch import nn


def propagation_matrix(adj):
    n = adj.shape[0]
    eye = torch.eye(n, dtype=adj.dtype, device=adj.device)
    a = adj + eye
    d = a.sum(1)
    s = torch.diag(1.0 / torch.sqrt(d))
    return eye - s @ a @ s


class GCNLayer(nn.Module):
    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(inputs, outputs))
        self.bias = nn.Parameter(torch.zeros(outputs))
        nn.init.xavier_uniform_(self.weight)

    def forward(self, x: torch.Tensor, adj: torch.Tensor) -> torch.Tensor:
        return propagation_matrix(adj) @ (x @ self.weight) + self.bias
