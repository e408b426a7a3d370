# contract: gcn-layer
# cause: row-normalised
import torch
import torch.nn as nn


class GraphConvolution(nn.Module):
    """
    GCN layer, H' = D^-1/2 (A + I) D^-1/2 H W
    """

    def __init__(self, input_dim: int, output_dim: int) -> None:
        super().__init__()
        self.fc = nn.Linear(input_dim, output_dim, bias=False)

    @staticmethod
    def normalise(A: torch.Tensor) -> torch.Tensor:
        A = A + torch.eye(A.size(0), dtype=A.dtype)
        D_inv = torch.diag(A.sum(dim=1).pow(-1))
        return D_inv @ A

    def forward(self, H: torch.Tensor, A: torch.Tensor) -> torch.Tensor:
        return self.normalise(A) @ self.fc(H)
